import type { AnalysisDetails, AnalysisReport } from '../../../src/client/wire.ts';

/**
 * Paid answers about files, kept in the browser for all tabs, so that opening a page again takes no
 * further unit. They are removed when the account signs out, and not used after twelve hours.
 */

const DATABASE = 'rapsheet';
const STORE = 'files';
const KEPT_MS = 12 * 3_600_000;
const MAX_KEPT = 100;

export interface FileAnswer {
  readonly report: AnalysisReport;
  /** `null` if the report was imported without them. */
  readonly details: AnalysisDetails | null;
}

interface KeptFile {
  /** The account and the SHA-256. */
  readonly key: string;
  readonly hashes: readonly string[];
  readonly keptAt: number;
  readonly file: FileAnswer;
}

/** The answer that was paid for, by any of its hashes. */
export async function keptFile(
  account: string,
  hash: string,
  now = Date.now(),
): Promise<FileAnswer | undefined> {
  const found = await inStore<KeptFile | undefined>('readonly', (store) =>
    store.index('hashes').get(`${account} ${hash}`),
  );
  return found !== undefined && isUsable(found, now) ? found.file : undefined;
}

export async function keepFile(account: string, file: FileAnswer, now = Date.now()): Promise<void> {
  const { sha256Hash } = file.report;
  const hashes = hashesOf(file).map((hash) => `${account} ${hash}`);
  const kept: KeptFile = { key: `${account} ${sha256Hash}`, hashes, keptAt: now, file };
  await inStore('readwrite', (store) => store.put(kept));
  const count = await inStore<number>('readonly', (store) => store.count());
  if (count !== undefined && count > MAX_KEPT) await removeOldest();
}

/** The hashes by which a file can be looked up. */
export function hashesOf({ report }: FileAnswer): readonly string[] {
  return [report.sha256Hash, report.sha512Hash, report.blake3Hash];
}

export async function forgetKeptFiles(): Promise<void> {
  await inStore('readwrite', (store) => store.clear());
}

function isUsable({ keptAt }: KeptFile, now: number): boolean {
  return keptAt <= now && now - keptAt < KEPT_MS;
}

async function removeOldest(): Promise<void> {
  // The lowest of a range.
  const oldest = await inStore('readonly', (store) =>
    store.index('keptAt').getKey(IDBKeyRange.lowerBound(0)),
  );
  if (oldest !== undefined) await inStore('readwrite', (store) => store.delete(oldest));
}

/** Runs one request. `undefined` where the browser keeps nothing, as in some private windows. */
async function inStore<Result>(
  mode: IDBTransactionMode,
  request: (store: IDBObjectStore) => IDBRequest<Result>,
): Promise<Result | undefined> {
  try {
    const database = await open();
    try {
      return await resultOf(request(database.transaction(STORE, mode).objectStore(STORE)));
    } finally {
      database.close();
    }
  } catch {
    return undefined;
  }
}

function open(): Promise<IDBDatabase> {
  const request = indexedDB.open(DATABASE, 1);
  request.onupgradeneeded = () => {
    const store = request.result.createObjectStore(STORE, { keyPath: 'key' });
    store.createIndex('hashes', 'hashes', { multiEntry: true });
    store.createIndex('keptAt', 'keptAt');
  };
  return resultOf(request);
}

function resultOf<Result>(request: IDBRequest<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error('the request failed'));
  });
}
