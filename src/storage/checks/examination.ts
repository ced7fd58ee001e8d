import { sql } from 'kysely';
import type { Examination } from '../../ports/examination.ts';
import type { Runner } from '../units/runner.ts';
import { row, rows } from '../units/unit-of-work.ts';
import { quotas, storedBytes, unclaimedDesk } from './accounts.ts';
import { charges } from './charges.ts';
import { type Check, createStoreCheck, hexOf, statement } from './check.ts';
import { confirmations } from './confirmations.ts';
import { database } from './database.ts';
import { additions, changes, sequences, webhookCounts } from './feeds.ts';
import { mispEvents } from './misp.ts';
import { proposals } from './proposals.ts';
import { references } from './references.ts';
import { hosts, numbers, sightings, tags } from './reports.ts';
import { networkLengths, publicSuffixes } from './routes.ts';
import { bands, grams, hashes, hashIds, uploads } from './samples.ts';
import { searchHosts, searchWords } from './search.ts';
import { servicePatterns } from './services.ts';
import { statistics } from './statistics.ts';

/** In the order of the output. */
const CHECKS: readonly Check[] = [
  database,
  references,
  quotas,
  charges,
  storedBytes,
  unclaimedDesk,
  servicePatterns,
  networkLengths,
  publicSuffixes,
  sequences,
  changes,
  additions,
  mispEvents,
  numbers,
  tags,
  hosts,
  sightings,
  confirmations,
  statistics,
  webhookCounts,
  hashes,
  hashIds,
  uploads,
  proposals,
  grams,
  bands,
  searchHosts,
  searchWords,
];

const selectUploads = statement<
  { sha256: Uint8Array; size_bytes: number },
  { after: Uint8Array; limit: number }
>(
  (parameter) => sql`
    select sha256, size_bytes from upload
    where sha256 > ${parameter.after} order by sha256 limit ${parameter.limit}`,
);

const sumBytes = statement<{ bytes: number }>(
  () => sql`select coalesce(sum(size_bytes), 0) as bytes from upload`,
);

export function createExamination(runner: Runner): Examination {
  return {
    checks: CHECKS.map((check) => createStoreCheck(check, runner)),
    uploads: async (after, limit) => {
      const lastHash = Buffer.from(after ?? '', 'hex');
      const found = await runner.read(() => rows(selectUploads, { after: lastHash, limit }));
      return found.map(({ sha256, size_bytes }) => ({
        sha256: hexOf(sha256),
        sizeBytes: size_bytes,
      }));
    },
    uploadedBytes: async () => (await runner.read(() => row(sumBytes, {})))?.bytes ?? 0,
  };
}
