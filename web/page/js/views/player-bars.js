// The bars above and below the board: who plays a colour, whose turn it is, and the clocks.

import { t } from "../language/texts.js";
import { formatTime } from "../game/clock.js";
import { $, setAttribute, setText } from "./dom.js";
import { colorName, levelName } from "../game/wording.js";

const LOW_TIME = 20_000;

export class PlayerBars {
  constructor() {
    this.bars = ["white", "black"].map((color) => ({ color, root: $(`[data-player="${color}"]`) }));
  }

  /** `turn` is the colour to move, or null when the game is over; `thinking` the colour for which the engine thinks. */
  render(game, { turn, thinking }) {
    for (const { color, root } of this.bars) {
      setAttribute(root, "data-turn", turn === color);
      setText($("[data-name]", root), nameIn(game, color));
      // Those who see the bar see the colour beside the name.
      setText($("[data-color]", root), isEngine(game, color) ? `${colorName(color)} ` : "");
      $("[data-thinking]", root).hidden = thinking !== color;
    }
    this.renderClocks(game);
  }

  renderClocks(game) {
    for (const { color, root } of this.bars) {
      const clock = $("[data-clock]", root);
      clock.hidden = !game.clock;
      if (!game.clock) continue;
      const left = game.clock.remaining(color);
      const text = formatTime(left);
      if (clock.textContent !== text) clock.textContent = text;
      setAttribute(clock, "data-low", left < LOW_TIME);
      setAttribute(clock, "aria-label", t("bar.time", { player: color }));
    }
  }
}

function isEngine(game, color) {
  return !game.names[color] && game.playerOf(color) === "engine";
}

function nameIn(game, color) {
  if (game.names[color]) return t("bar.named", { player: color, name: game.names[color] });
  const level = game.levels[color];
  if (isEngine(game, color)) return t("bar.engine", { level, name: levelName(level) });
  return game.hasEngine() ? t("bar.you", { player: color }) : colorName(color);
}
