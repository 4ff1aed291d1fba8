// Where the page finds what it needs, relative to its address, as `malecon serve` has it. The static site that
// web/build makes has another module in place of this one, with the worker and the names of its files.

export const SITE = {
  /** The engine: "server" at a WebSocket, or "worker" at the script of a web worker. */
  engine: { name: "server", path: "api" },
  /** The texts of the languages other than English. */
  languages: {
    de: "js/language/de.js",
    es: "js/language/es.js",
    fr: "js/language/fr.js",
    nl: "js/language/nl.js",
    pl: "js/language/pl.js",
  },
  puzzles: "puzzles.jsonl",
  proof: "side-4-a1.proof",
  /** The script that keeps the site for use without a network, or null. */
  serviceWorker: null,
};
