"use strict";
(() => {
  const { running, boards, games } = JSON.parse(document.getElementById("match").textContent);
  const element = (id) => document.getElementById(id);
  const fill = { white: "#ffffff", black: "#1a1a1a" };
  const other = { white: "black", black: "white" };
  const PAGE = 50;

  const read = ([number, side, white, black, winner, by, reason, opening, moves, times]) => ({
    number, side, white, black, winner, by, reason, opening, times,
    moves: moves === "" ? [] : moves.split(" "),
  });
  const all = games.map(read);
  let chosen = all;
  let begin = 0;
  let open = null;

  const seconds = (milliseconds) => `${(milliseconds / 1000).toFixed(milliseconds < 10000 ? 2 : 1)} s`;
  const winnerOf = (game) => (game.winner === "draw" ? "draw" : game[game.winner]);
  /** The total time of a colour. */
  const time = (game, first) => seconds(game.times.reduce((sum, t, i) => sum + (i % 2 === first ? t : 0), 0));

  // The list.

  const cell = (row, text) => (row.insertCell().textContent = text);
  const list = () => {
    const table = element("games");
    table.textContent = "";
    const head = table.createTHead().insertRow();
    for (const name of ["", "white", "black", "winner", "by", "moves", "white's time", "black's time"]) {
      const heading = document.createElement("th");
      heading.textContent = name;
      head.append(heading);
    }
    const body = table.createTBody();
    for (const game of chosen.slice(begin, begin + PAGE)) {
      const row = body.insertRow();
      const link = document.createElement("a");
      link.href = `#game-${game.number}`;
      link.textContent = `Game ${game.number}`;
      row.insertCell().append(link);
      const { white, black, by, moves } = game;
      [white, black, winnerOf(game), by, moves.length, time(game, 0), time(game, 1)].forEach((text) => cell(row, text));
      if (game === open?.game) row.setAttribute("aria-current", "true");
    }
    const end = Math.min(begin + PAGE, chosen.length);
    element("shown").textContent = chosen.length ? `${begin + 1} to ${end} of ${chosen.length}` : "none";
    element("earlier").disabled = begin === 0;
    element("later").disabled = end === chosen.length;
  };

  const filters = [["all games", () => true]];
  for (const name of new Set(all.flatMap((game) => [game.white, game.black]))) {
    filters.push([`games that ${name} won`, (game) => winnerOf(game) === name]);
  }
  for (const by of [...new Set(all.map((game) => game.by))].sort()) {
    filters.push([`games ended by ${by}`, (game) => game.by === by]);
  }
  // Before the first game there is no list.
  filters.forEach(([name], i) => element("filter")?.add(new Option(name, i)));
  const choose = (filter, from) => {
    chosen = all.filter(filters[filter][1]);
    begin = Math.max(0, Math.min(from, chosen.length - 1));
    begin -= begin % PAGE;
    list();
  };

  // The board.

  const circle = ([x, y], radius, color, stroke) =>
    `<circle cx="${x}" cy="${y}" r="${radius}" fill="${color}" stroke="${stroke}" stroke-width="1.5"/>`;

  /** The stones after this many moves, with the first one in the colour that a swap gave it. */
  const after = ({ side, moves }, count) => {
    const places = new Map(boards[side]);
    const stones = [];
    moves.slice(0, count).forEach((name, i) => {
      // Files written by other programs may have words that are not moves.
      if (name === "swap" && stones.length) stones[0].color = other[stones[0].color];
      else if (places.has(name)) stones.push({ color: i % 2 ? "black" : "white", at: places.get(name) });
    });
    return stones;
  };

  const words = (game, number) => {
    const last = game.moves.length;
    const end = game.winner === "draw" ? `draw: ${game.reason}` : `${winnerOf(game)} (${game.winner}) wins: ${game.reason}`;
    const move = number === 0 ? "Before the first move" : `${number}. ${game.moves[number - 1]}`;
    const how = number === 0 ? "" : number <= game.opening ? " (opening)" : ` after ${seconds(game.times[number - 1])}`;
    return `${move}${how}${number === last ? `; ${end}` : ""}`;
  };

  const show = (number) => {
    const { game, stones, marks } = open;
    open.number = Math.max(0, Math.min(number, game.moves.length));
    const placed = after(game, open.number);
    stones.innerHTML = placed.map(({ color, at }) => circle(at, 16, fill[color], "#1a1a1a")).join("");
    const newest = placed[placed.length - 1];
    marks.innerHTML = newest ? circle(newest.at, 5, fill[other[newest.color]], "none") : "";
    element("at").value = open.number;
    element("state").textContent = words(game, open.number);
    element("at").setAttribute("aria-valuetext", element("state").textContent);
    history.replaceState(null, "", `#game-${game.number}/${open.number}`);
  };

  const openGame = (game, number) => {
    const board = element("board");
    board.replaceChildren(document.querySelector(`template[data-side="${game.side}"]`).content.cloneNode(true));
    board.querySelector("title")?.remove();
    open = { game, stones: board.querySelector(".stones"), marks: board.querySelector(".marks"), number };
    element("players").textContent = `Game ${game.number}: ${game.white} (white) – ${game.black} (black)`;
    element("at").max = game.moves.length;
    element("viewer").hidden = false;
    show(number);
    list();
  };

  /** Opens the game that the address names: #game-NUMBER or #game-NUMBER/MOVE. */
  const follow = () => {
    const [, number, move] = /^#game-(\d+)(?:\/(\d+))?$/.exec(location.hash) ?? [];
    const game = all.find((game) => game.number === Number(number));
    if (game) openGame(game, Number(move ?? game.moves.length));
    return game;
  };

  if (all.length) {
    element("filters").hidden = false;
    element("filter").addEventListener("change", (event) => choose(event.target.value, 0));
    element("earlier").addEventListener("click", () => choose(element("filter").value, begin - PAGE));
    element("later").addEventListener("click", () => choose(element("filter").value, begin + PAGE));
    element("at").addEventListener("input", (event) => show(Number(event.target.value)));
    element("first").addEventListener("click", () => show(0));
    element("back").addEventListener("click", () => show(open.number - 1));
    element("forward").addEventListener("click", () => show(open.number + 1));
    element("last").addEventListener("click", () => show(Infinity));
    document.addEventListener("keydown", (event) => {
      const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      const isTaken = ["at", "filter"].includes(event.target.id) || event.altKey || event.ctrlKey || event.metaKey;
      if (by && open && !isTaken) show(open.number + by);
    });
    addEventListener("hashchange", () => follow() && element("viewer").scrollIntoView({ block: "nearest" }));
    const kept = JSON.parse(sessionStorage.getItem("list") ?? "{}");
    element("filter").value = filters.findIndex(([name]) => name === kept.filter);
    if (element("filter").selectedIndex < 0) element("filter").value = 0;
    choose(element("filter").value, kept.begin ?? 0);
    follow();
  }
  if (running) {
    setTimeout(() => {
      const filter = element("filter") && filters[element("filter").value][0];
      sessionStorage.setItem("list", JSON.stringify({ filter, begin }));
      location.reload();
    }, 10000);
  }
})();
