"use strict";
(() => {
  const game = JSON.parse(document.getElementById("game").textContent);
  const element = (id) => document.getElementById(id);
  const [viewer, slider, state, cursor] = ["viewer", "at", "state", "cursor"].map(element);
  const stones = viewer.querySelector(".stones");
  const marks = viewer.querySelector(".marks");
  const last = Number(viewer.dataset.last);
  const end = [stones.innerHTML, marks.innerHTML];
  const fill = { white: "#ffffff", black: "#1a1a1a" };
  const other = { white: "black", black: "white" };
  const circle = ([x, y], radius, color, stroke) =>
    `<circle cx="${x}" cy="${y}" r="${radius}" fill="${color}" stroke="${stroke}" stroke-width="1.5"/>`;

  /** The stones after this many actions, with the first one in the colour that a swap gave it. */
  const after = (count) => {
    const placed = [];
    for (const [what, at] of game.actions.slice(0, count)) {
      if (what === "swap") placed[0].color = other[placed[0].color];
      else placed.push({ color: what, at });
    }
    return placed;
  };

  const show = (number) => {
    const placed = after(game.counts[number]);
    const newest = placed[placed.length - 1];
    if (number === last) [stones.innerHTML, marks.innerHTML] = end;
    else {
      stones.innerHTML = placed.map(({ color, at }) => circle(at, 16, fill[color], "#1a1a1a")).join("");
      marks.innerHTML = newest ? circle(newest.at, 5, fill[other[newest.color]], "none") : "";
    }
    slider.value = number;
    const text = game.states[number] ?? "";
    slider.setAttribute("aria-valuetext", text);
    state.textContent = text;
    const x = game.graph[number];
    cursor.setAttribute("d", cursor.getAttribute("d").replace(/^M[^ ]+/, `M${x}`));
  };
  const step = (by) => show(Math.min(last, Math.max(0, Number(slider.value) + by)));

  element("controls").hidden = false;
  document.body.classList.add("stepping");
  slider.addEventListener("input", () => show(Number(slider.value)));
  element("first").addEventListener("click", () => show(0));
  element("back").addEventListener("click", () => step(-1));
  element("forward").addEventListener("click", () => step(1));
  element("last").addEventListener("click", () => show(last));

  for (const legend of document.querySelectorAll(".keys")) legend.hidden = false;

  /** Steps through a finding's better line on its board, one stone at a time. All are shown at first. */
  const prepare = (article) => {
    const line = [...article.querySelectorAll(".next")].sort((a, b) => a.textContent - b.textContent);
    if (line.length < 2) return;
    const steps = article.querySelector(".steps");
    const [back, forward] = steps.querySelectorAll("button");
    let shown = line.length;
    const draw = () => {
      line.forEach((stone, i) => (stone.style.display = i < shown ? "" : "none"));
      steps.querySelector("span").textContent = `${shown} of ${line.length}`;
      back.disabled = shown === 0;
      forward.disabled = shown === line.length;
    };
    steps.addEventListener("click", (event) => {
      shown += Number(event.target.dataset.step ?? 0);
      draw();
    });
    steps.hidden = false;
    draw();
  };
  const findings = [...document.querySelectorAll("article")];
  findings.forEach(prepare);

  /** Goes to the next or the previous finding, from the one that has the focus. */
  const visit = (by) => {
    const from = findings.findIndex((article) => article.contains(document.activeElement));
    const article = findings[from < 0 ? 0 : from + by];
    if (!article) return;
    article.closest("details")?.setAttribute("open", "");
    article.focus({ preventScroll: true });
    article.scrollIntoView({ block: "nearest" });
  };

  document.addEventListener("keydown", (event) => {
    if (event.target === slider || event.altKey || event.ctrlKey || event.metaKey) return;
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (by) event.shiftKey ? visit(by) : step(by);
  });
  document.addEventListener("click", (event) => {
    const link = event.target.closest("[data-move]");
    if (!link) return;
    event.preventDefault();
    show(Number(link.dataset.move));
    viewer.scrollIntoView({ block: "nearest" });
  });
  show(last);
})();
