// Where cards about the position go: beside the board where there is room, so that it keeps its size, else below it.

import { $ } from "./dom.js";

export function placeBesideBoard(card) {
  const [below, panel] = [$('[data-player="white"]'), $(".panel")];
  const isWide = matchMedia("(min-width: 60em)");
  const place = () => (isWide.matches ? panel.prepend(card) : below.after(card));
  isWide.addEventListener("change", place);
  place();
}
