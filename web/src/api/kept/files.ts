import type { AnalysisDetails, AnalysisReport } from '../../../../src/client/wire.ts';
import { inStore, removeOldest } from './database.ts';

/**
 * Paid answers about files, kept in the browser for all tabs, so that opening a page again takes no
 * further unit. They are not used after twelve hours.
 */

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
  const found = await inStore<KeptFile | undefined>(STORE, 'readonly', (store) =>
    store.index('hashes').get(`${account} ${hash}`),
  );
  return found !== undefined && isUsable(found, now) ? found.file : undefined;
}

export async function keepFile(account: string, file: FileAnswer, now = Date.now()): Promise<void> {
  const { sha256Hash } = file.report;
  const hashes = hashesOf(file).map((hash) => `${account} ${hash}`);
  const kept: KeptFile = { key: `${account} ${sha256Hash}`, hashes, keptAt: now, file };
  await inStore(STORE, 'readwrite', (store) => store.put(kept));
  await removeOldest(STORE, MAX_KEPT);
}

/** The hashes by which a file can be looked up. */
export function hashesOf({ report }: FileAnswer): readonly string[] {
  return [report.sha256Hash, report.sha512Hash, report.blake3Hash];
}

function isUsable({ keptAt }: KeptFile, now: number): boolean {
  return keptAt <= now && now - keptAt < KEPT_MS;
}
