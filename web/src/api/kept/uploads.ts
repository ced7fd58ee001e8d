import { inStore, removeOldest } from './database.ts';

/** The files that an account has uploaded from this browser: a list that survives a reload. */

const STORE = 'uploads';
const MAX_KEPT = 300;

export interface KeptUpload {
  /** The account and the SHA-256. */
  readonly key: string;
  readonly sha256: string;
  readonly name: string;
  readonly sizeBytes: number;
  readonly keptAt: number;
}

export async function keepUpload(
  account: string,
  upload: Pick<KeptUpload, 'sha256' | 'name' | 'sizeBytes'>,
  now = Date.now(),
): Promise<void> {
  const { sha256, name, sizeBytes } = upload;
  const kept: KeptUpload = { key: `${account} ${sha256}`, sha256, name, sizeBytes, keptAt: now };
  await inStore(STORE, 'readwrite', (store) => store.put(kept));
  await removeOldest(STORE, MAX_KEPT);
}

/** The newest first. */
export async function keptUploads(account: string): Promise<readonly KeptUpload[]> {
  const kept = await inStore<KeptUpload[]>(STORE, 'readonly', (store) =>
    store.getAll(keysOf(account)),
  );
  return (kept ?? []).sort((one, other) => other.keptAt - one.keptAt);
}

export async function forgetKeptUploads(account: string): Promise<void> {
  await inStore(STORE, 'readwrite', (store) => store.delete(keysOf(account)));
}

/** A space separates the account from the hash. */
function keysOf(account: string): IDBKeyRange {
  return IDBKeyRange.bound(`${account} `, `${account}!`);
}
