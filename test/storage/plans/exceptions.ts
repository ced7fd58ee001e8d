/**
 * Tables that may be read from end to end: an operator, or the owner of a feed, adds their rows one by one, or there is
 * only one (as in a sequence of PostgreSQL). Everything else grows with what callers send.
 */
export const BOUNDED_TABLES = ['service', 'webhook', 'installation', 'back_fill', 'report_number'];

export interface Exception {
  /** What bounds the work. */
  readonly why: string;
  /** Reads a table from end to end, or in the order of an index until a limit. */
  readonly scans?: true;
  readonly sorts?: true;
  /** So many steps of SQLite's virtual machine are allowed, rather than `MOST_STEPS`. */
  readonly steps?: number;
  /** So many rows are allowed on PostgreSQL, rather than `MOST_ROWS`. */
  readonly rows?: number;
}

const BY_LIMIT = 'Reads in the order of the index and stops at the limit.';
/** They are planned only for references whose check is put off to the commit, of which there are none. */
const CHILDREN = 'Rows that refer to the new one are looked for only where a reference is broken.';
const OF_DOCTOR = 'Only `rapsheet doctor` runs it, which reads everything by nature.';

/** By the file (all of its queries) or by the query, as `parameters.ts` names them. */
const EXCEPTIONS: Readonly<Record<string, Exception>> = {
  'storage/sql/search/fuzzy-index.ts#selectDue': { why: BY_LIMIT, scans: true },
  'storage/sql/search/search-feeds.ts#selectNewest': { why: BY_LIMIT, scans: true },
  'storage/sql/reports/rename-reports.ts#selectPending': {
    why: 'Stops at the first row.',
    scans: true,
  },
  'storage/sql/feeds/stored-positions.ts#selectLatest': {
    why: 'Stops at the first row.',
    scans: true,
  },
  'storage/sql/feeds/stored-positions.ts#selectBeyond': { why: BY_LIMIT, scans: true },
  'storage/sql/accounts/accounts.ts#selectAny': { why: 'Stops at the first row.', scans: true },
  'storage/sql/accounts/accounts.ts#insertAccount': { why: CHILDREN, scans: true },
  'storage/sql/feeds/services.ts#insertService': { why: CHILDREN, scans: true },
  'storage/sql/reports/renew-reports.ts#selectToRenew': {
    why: 'Sorts the 101 newest reports of a C2, no more.',
    sorts: true,
    rows: 1000,
  },
  'storage/sql/webhooks/webhook-claims.ts#selectReady': {
    why: 'Sorts the webhooks, which owners of feeds add one by one.',
    sorts: true,
  },
  'storage/sql/webhooks/webhooks.ts#selectOfService': {
    why: 'Sorts the webhooks of one feed.',
    sorts: true,
  },
  'storage/sql/search/search-text.ts#selectNewest': {
    why: 'Looks at the 10,000 newest texts, then at those of a word that is in few; on PostgreSQL, which does it beside the event loop.',
    sorts: true,
    rows: 30_000,
  },
};

/** Queries of these are not run at all. */
export const NOT_RUN: Readonly<Record<string, string>> = {
  'storage/checks/accounts.ts#storedBytes': OF_DOCTOR,
  'storage/checks/database.ts': OF_DOCTOR,
  'storage/checks/references.ts': OF_DOCTOR,
  'storage/checks/feeds.ts': OF_DOCTOR,
  'storage/checks/reports.ts#tags': OF_DOCTOR,
  'storage/checks/reports.ts#sightings': OF_DOCTOR,
  'storage/checks/samples.ts#digests': OF_DOCTOR,
  'storage/checks/search.ts#searchWords': OF_DOCTOR,
  'storage/checks/examination.ts#sumBytes': OF_DOCTOR,
};

/** Tables without rows in the large store: their statements name rows by the whole key, or stop at the first. */
export const NOT_FILLED: Readonly<Record<string, string>> = {
  account_usage: 'A row for each account, by its key.',
  job_turn: 'A row for each account, by its key.',
  pending_rename: 'A row for each file whose reports are being renamed; the first is read.',
  stored_position: 'At most as many as are allowed; by its key.',
};

/** Jobs are in pg-boss there, and the number of a report comes from a sequence. */
export const NOT_ON_POSTGRES = [
  'storage/sql/jobs.ts',
  'storage/checks/samples.ts#selectUploads',
  'storage/sql/installation.ts#nextNumbers',
  'queue/sqlite.ts',
];

/** What holds for that query. */
export function exceptionOf(file: string, name: string): Exception | undefined {
  const path = file.replace(/^src\//, '');
  return EXCEPTIONS[`${path}#${name}`] ?? EXCEPTIONS[path];
}

export function isListed(
  list: Readonly<Record<string, unknown>> | readonly string[],
  file: string,
  name: string,
): boolean {
  const path = file.replace(/^src\//, '');
  const keys = Array.isArray(list) ? list : Object.keys(list);
  return keys.includes(path) || keys.includes(`${path}#${name}`);
}
