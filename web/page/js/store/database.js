// IndexedDB with promises: as little of it as the library needs.

/** Opens a database. `upgrade(database, oldVersion)` makes its stores. Rejects where the browser keeps nothing. */
export function openDatabase(name, version, upgrade) {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(name, version);
    request.onupgradeneeded = ({ oldVersion }) => upgrade(request.result, oldVersion);
    request.onsuccess = () => {
      // Another tab has a newer version of the page: it must not wait for this one.
      request.result.onversionchange = () => request.result.close();
      resolve(request.result);
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
