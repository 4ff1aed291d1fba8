// Sets data-theme to "light" or "dark": the user's choice, or else the system's preference; data-board-theme to "sand" or
// "paper"; and gives the browser's frame the colour of the page's top. An ordinary script, so that it runs before the
// page is first painted. The page sends the event "themechange" with a new choice.
(function () {
  const system = matchMedia("(prefers-color-scheme: dark)");

  /** What the page has sent; until then, what it has stored. */
  let sent = null;

  function chosen() {
    if (sent) return sent;
    try {
      return JSON.parse(localStorage.getItem("malecon.settings")) || {};
    } catch {
      return {}; // No storage: the system decides.
    }
  }

  function apply() {
    const { theme, boardTheme } = chosen();
    const isDark = theme === "dark" || (theme !== "light" && system.matches);
    const root = document.documentElement;
    root.dataset.theme = isDark ? "dark" : "light";
    root.dataset.boardTheme = boardTheme === "paper" ? "paper" : "sand";
    const top = getComputedStyle(root).getPropertyValue("--surface").trim();
    if (top) document.querySelector('meta[name="theme-color"]').content = top;
  }

  apply();
  system.addEventListener("change", apply);
  document.addEventListener("themechange", ({ detail }) => {
    sent = detail;
    apply();
  });
  // The colours are not known before.
  addEventListener("load", apply);
})();
