// What the page keeps in the browser at once, without waiting: settings, and the game of each tab. The library, which
// has all games, takes a moment.
//
// Each tab has an id of its own and stores its game under it, so tabs do not disturb each other. Without storage
// (private windows, full disks) the page still works; it then only forgets.

import { checkedGame } from "./stored-game.js";

const PREFIX = "malecon.";
const GAME = `${PREFIX}game.`;
const TAB = `${PREFIX}tab`;
const WITHOUT_ROOM = `${PREFIX}without-room`;
const KEPT_GAMES = 20;

function attempt(action, otherwise = null) {
  try {
    return action();
  } catch {
    return otherwise;
  }
}

export function load(key) {
  return attempt(() => JSON.parse(localStorage.getItem(PREFIX + key)));
}

export function save(key, value) {
  return attempt(() => {
    localStorage.setItem(PREFIX + key, JSON.stringify(value));
    return true;
  }, false);
}

/**
 * The id of this tab. It survives reloading. A duplicated tab inherits its original's id in sessionStorage, so a lock
 * that is held as long as the tab lives tells them apart.
 */
export async function tabId() {
  let id = attempt(() => sessionStorage.getItem(TAB));
  const isCopy = id !== null && !(await holdLock(id));
  const inherited = isCopy ? id : null;
  if (id === null || isCopy) {
    id = crypto.getRandomValues(new Uint32Array(2)).join("-");
    await holdLock(id);
    attempt(() => sessionStorage.setItem(TAB, id));
  }
  return { id, inherited };
}

/** Takes the lock of a tab and keeps it. Resolves to false if another tab has it. */
function holdLock(id) {
  if (!navigator.locks) return Promise.resolve(true);
  return new Promise((resolve) => {
    const hold = (lock) => {
      resolve(lock !== null);
      return lock && new Promise(() => {});
    };
    // A reloaded page may find the lock still held by its former self for a moment, so ask a few times.
    const ask = (attempts) => {
      const asked = navigator.locks.request(TAB + id, { ifAvailable: true }, (lock) => {
        if (lock || attempts === 0) return hold(lock);
        setTimeout(() => ask(attempts - 1), 60);
        return null;
      });
      // Where the browser must keep nothing, it refuses locks, too.
      asked.catch(() => resolve(true));
    };
    ask(3);
  });
}

/** The game stored under a tab's id, or null if there is none that could be taken up. */
export function loadGame(id) {
  return attempt(() => checkedGame(JSON.parse(localStorage.getItem(GAME + id))));
}

/** Stores a game under a tab's id. Without room, nothing is stored there any more: an older state must not come back. */
export function saveGame(id, game) {
  try {
    localStorage.setItem(GAME + id, JSON.stringify({ ...game, savedAt: Date.now() }));
    attempt(() => sessionStorage.removeItem(WITHOUT_ROOM));
  } catch {
    deleteGame(id);
    attempt(() => sessionStorage.setItem(WITHOUT_ROOM, game.id));
  }
}

/** The id of the game of this tab if there was no room for it, else null: the library may have it. */
export function gameWithoutRoom() {
  return attempt(() => sessionStorage.getItem(WITHOUT_ROOM));
}

export function deleteGame(id) {
  attempt(() => localStorage.removeItem(GAME + id));
}

/** The stored games as [{id, game}], latest first. */
export function recentGames() {
  const keys = attempt(() => Object.keys(localStorage).filter((key) => key.startsWith(GAME)), []);
  const games = keys.map((key) => ({ id: key.slice(GAME.length), game: loadGame(key.slice(GAME.length)) }));
  return games.filter(({ game }) => game).sort((a, b) => savedAt(b.game) - savedAt(a.game));
}

function savedAt(game) {
  return Number.isFinite(game.savedAt) ? game.savedAt : 0;
}

/** Forgets the games of tabs that were closed long ago: the library has them. */
export function forgetOldGames() {
  for (const { id } of recentGames().slice(KEPT_GAMES)) deleteGame(id);
}
