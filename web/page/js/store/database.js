// The database of the page, and IndexedDB with promises: as little of it as is needed.

const NAME = "malecon";
const VERSION = 1;

/** What the library's list shows, by the id of the game; the games themselves; and what is learned. */
export const ENTRIES = "entries";
export const GAMES = "games";
export const EXERCISES = "exercises";

let opening = null;

/** The database of the page. Rejects where the browser keeps nothing. */
export function pageDatabase() {
  opening ??= openDatabase(NAME, VERSION, (database) => {
    database.createObjectStore(ENTRIES, { keyPath: "id" });
    database.createObjectStore(GAMES);
    database.createObjectStore(EXERCISES, { keyPath: "id" });
  }).catch((error) => {
    opening = null;
    throw error;
  });
  return opening;
}

/** Opens a database. `upgrade(database)` makes its stores. */
function openDatabase(name, version, upgrade) {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(name, version);
    request.onupgradeneeded = () => upgrade(request.result);
    request.onsuccess = () => {
      const database = request.result;
      // Another tab has a newer version of the page: it must not wait for this one.
      database.onversionchange = () => {
        database.close();
        opening = null;
      };
      // The browser has closed it, perhaps because the site's data were cleared. It can be opened again.
      database.onclose = () => (opening = null);
      resolve(database);
    };
    request.onerror = () => reject(request.error);
  });
}

/** The result of a request. */
export function resultOf(request) {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

/**
 * Calls `use` with these stores and resolves to what it returns once all is written. Rejects, and nothing is written,
 * if `use` or a request fails, or if the disk is full.
 */
export async function transact(database, names, mode, use) {
  const transaction = database.transaction(names, mode);
  const isDone = new Promise((resolve, reject) => {
    transaction.oncomplete = resolve;
    transaction.onabort = () => reject(transaction.error);
  });
  try {
    const result = await use(...names.map((name) => transaction.objectStore(name)));
    await isDone;
    return result;
  } catch (error) {
    isDone.catch(() => {});
    try {
      transaction.abort();
    } catch {
      // It has ended by itself.
    }
    throw error;
  }
}
