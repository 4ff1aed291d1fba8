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
  document.addEventListener("keydown", (event) => {
    if (event.target === slider || event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.key === "ArrowLeft") step(-1);
    else if (event.key === "ArrowRight") step(1);
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
