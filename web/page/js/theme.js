// Sets data-theme to "light" or "dark": the user's choice, or else the system's preference. An ordinary script, so that
// it runs before the page is first painted. The page sends the event "themechange" after it has stored a choice.
(function () {
  const system = matchMedia("(prefers-color-scheme: dark)");

  function chosen() {
    try {
      return (JSON.parse(localStorage.getItem("malecon.settings")) || {}).theme;
    } catch {
      return "auto"; // No storage: the system decides.
    }
  }

  function apply() {
    const choice = chosen();
    const isDark = choice === "dark" || (choice !== "light" && system.matches);
    document.documentElement.dataset.theme = isDark ? "dark" : "light";
  }

  apply();
  system.addEventListener("change", apply);
  document.addEventListener("themechange", apply);
})();
