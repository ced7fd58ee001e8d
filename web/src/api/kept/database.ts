/**
 * What this browser keeps between visits, for all tabs of an account. All of it is removed when the
 * account signs out.
 */

const DATABASE = 'rapsheet';
const VERSION = 2;

/** Entries have a `key`, which begins with the account, and the time `keptAt`. */
const STORES = ['files', 'uploads'] as const;
type StoreName = (typeof STORES)[number];

/** Runs one request. `undefined` where the browser keeps nothing, as in some private windows. */
export async function inStore<Result>(
  name: StoreName,
  mode: IDBTransactionMode,
  request: (store: IDBObjectStore) => IDBRequest<Result>,
): Promise<Result | undefined> {
  try {
    const database = await open();
    try {
      return await resultOf(request(database.transaction(name, mode).objectStore(name)));
    } finally {
      database.close();
    }
  } catch {
    return undefined;
  }
}

/** Removes the oldest entry if there are more than `max`. Called after each that is added. */
export async function removeOldest(name: StoreName, max: number): Promise<void> {
  const count = await inStore<number>(name, 'readonly', (store) => store.count());
  if (count === undefined || count <= max) return;
  // The lowest of a range.
  const oldest = await inStore(name, 'readonly', (store) =>
    store.index('keptAt').getKey(IDBKeyRange.lowerBound(0)),
  );
  if (oldest !== undefined) await inStore(name, 'readwrite', (store) => store.delete(oldest));
}

/** In one transaction: the page may be left at once after signing out. */
export async function forgetAllKept(): Promise<void> {
  try {
    const database = await open();
    try {
      const transaction = database.transaction(STORES, 'readwrite');
      await Promise.all(STORES.map((name) => resultOf(transaction.objectStore(name).clear())));
    } finally {
      database.close();
    }
  } catch {
    // As in `inStore`.
  }
}

function open(): Promise<IDBDatabase> {
  const request = indexedDB.open(DATABASE, VERSION);
  request.onupgradeneeded = () => {
    for (const name of STORES) if (!hasStore(request.result, name)) addStore(request.result, name);
  };
  return resultOf(request);
}

function hasStore(database: IDBDatabase, name: StoreName): boolean {
  return database.objectStoreNames.contains(name);
}

function addStore(database: IDBDatabase, name: StoreName): void {
  const store = database.createObjectStore(name, { keyPath: 'key' });
  store.createIndex('keptAt', 'keptAt');
  if (name === 'files') store.createIndex('hashes', 'hashes', { multiEntry: true });
}

function resultOf<Result>(request: IDBRequest<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error('the request failed'));
  });
}
