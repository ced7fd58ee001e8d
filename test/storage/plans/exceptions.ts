/**
 * Tables that may be scanned: operators or owners of feeds add their rows one by one, or they have
 * a single row (like a sequence of PostgreSQL). All others grow with the calls.
 */
export const BOUNDED_TABLES = [
  'service',
  'webhook',
  'installation',
  'admission',
  'reanalysis',
  'back_fill',
  'report_number',
  // A row for each length of a prefix, at most 162.
  'network_length',
];

export interface Exception {
  /** What bounds the work. */
  readonly why: string;
  /** Scans a table, or an index in its order up to a limit. */
  readonly scans?: true;
  readonly sorts?: true;
  /** The limit on steps of SQLite's virtual machine, instead of `MAX_STEPS`. */
  readonly steps?: number;
  /** The limit on rows on PostgreSQL, instead of `MAX_ROWS`. */
  readonly rows?: number;
}

const BY_LIMIT = 'Reads in the order of the index and stops at the limit.';
/** Planned only for deferred constraints, of which there are none. */
const CHILDREN = 'Referring rows are read only if a reference is broken.';
const OF_DOCTOR = 'Only `rapsheet doctor` runs it, which reads everything by nature.';

/** By the file (all of its queries) or by the query, as `parameters.ts` names them. */
const EXCEPTIONS: Readonly<Record<string, Exception>> = {
  'storage/tables/reports/report-texts.ts#selectTexts': {
    why: 'Sorts the reports of one page.',
    sorts: true,
  },
  'storage/tables/search/fuzzy-index.ts#selectDue': { why: BY_LIMIT, scans: true },
  'storage/tables/reports/newest-reports.ts#selectNewest': { why: BY_LIMIT, scans: true },
  'storage/tables/reports/pending-renames.ts#selectPending': {
    why: 'Stops at the first row.',
    scans: true,
  },
  'storage/tables/reports/rejected-c2s.ts#selectPending': {
    why: 'Stops at the first row.',
    scans: true,
  },
  'storage/tables/feeds/stored-positions.ts#selectLatest': {
    why: 'Stops at the first row.',
    scans: true,
  },
  'storage/tables/feeds/stored-positions.ts#selectBeyond': { why: BY_LIMIT, scans: true },
  'storage/tables/samples/unfinished-uploads.ts': { why: BY_LIMIT, scans: true },
  'storage/transactions/find-pending-work.ts': {
    why: 'Each part stops at the first row; the webhooks are sorted, as when they are leased.',
    scans: true,
    sorts: true,
  },
  'storage/units/audit.ts#selectMatching': {
    why: 'Reads 2000 entries in the order of the key and filters them.',
    scans: true,
  },
  'storage/tables/samples/reanalysis-run.ts#countWaiting': { why: BY_LIMIT, scans: true },
  'storage/tables/samples/reanalysis-run.ts#selectWaiting': { why: BY_LIMIT, scans: true },
  'storage/tables/samples/failed-uploads.ts#countFailed': { why: BY_LIMIT, scans: true },
  'storage/tables/accounts/accounts.ts#selectAny': { why: 'Stops at the first row.', scans: true },
  'storage/tables/accounts/accounts.ts#insertAccount': { why: CHILDREN, scans: true },
  'storage/tables/accounts/sessions.ts#expireOfAccount': {
    why: 'Changes the sessions of an account, at most 100, and the entries of three indexes each.',
    rows: 1000,
  },
  'storage/tables/services/services.ts#insertService': { why: CHILDREN, scans: true },
  'storage/tables/reports/renewals.ts#selectToRenew': {
    why: 'Sorts the 101 newest reports of a C2, no more.',
    sorts: true,
    rows: 1000,
  },
  'storage/tables/reports/status-changes.ts#countChanges': {
    why: 'Groups the statuses of one report, which are deleted with it.',
    sorts: true,
  },
  'storage/tables/deliveries/delivery-leases.ts#selectReadyWebhooks': {
    why: 'Sorts the webhooks, which owners of feeds add one by one.',
    sorts: true,
  },
  'storage/tables/deliveries/delivery-leases.ts#selectReadyMail': {
    why: 'Sorts the destinations of mail, at most one for each service.',
    sorts: true,
  },
  'storage/tables/webhooks/webhooks.ts#selectOfService': {
    why: 'Sorts the webhooks of one feed.',
    sorts: true,
  },
  'storage/tables/search/search-text.ts#selectNewest': {
    why: 'Scans the 10,000 newest texts, then those with a rare word; on PostgreSQL, outside the event loop.',
    sorts: true,
    rows: 30_000,
  },
};

/** These queries are not run. */
export const NOT_RUN: Readonly<Record<string, string>> = {
  'storage/checks/accounts.ts#storedBytes': OF_DOCTOR,
  'storage/checks/accounts.ts#unclaimedDesk': OF_DOCTOR,
  'storage/checks/charges.ts': OF_DOCTOR,
  'storage/checks/database.ts': OF_DOCTOR,
  'storage/checks/references.ts': OF_DOCTOR,
  'storage/checks/feeds.ts': OF_DOCTOR,
  'storage/checks/misp.ts': OF_DOCTOR,
  'storage/checks/proposals.ts': OF_DOCTOR,
  'storage/checks/reports.ts#tags': OF_DOCTOR,
  'storage/checks/reports.ts#hosts': OF_DOCTOR,
  'storage/checks/reports.ts#sightings': OF_DOCTOR,
  'storage/checks/samples.ts#hashes': OF_DOCTOR,
  'storage/checks/search.ts#searchWords': OF_DOCTOR,
  'storage/checks/routes.ts#countLengths': OF_DOCTOR,
  'storage/checks/statistics.ts': OF_DOCTOR,
  'storage/tables/statistics/restart-counting.ts': OF_DOCTOR,
  'storage/checks/examination.ts#sumBytes': OF_DOCTOR,
};

/**
 * Tables without rows in the large store: their statements use the whole key, or stop at the first
 * row.
 */
export const NOT_FILLED: Readonly<Record<string, string>> = {
  account_usage: 'A row for each account, by its key.',
  job_turn: 'A row for each account, by its key.',
  pending_rename: 'A row for each file whose reports are being updated; the first is read.',
  stored_position: 'At most as many as are allowed; by its key.',
};

/** On PostgreSQL jobs are in pg-boss, and a sequence numbers the reports. */
export const NOT_ON_POSTGRES = [
  'storage/tables/jobs/jobs.ts',
  'storage/checks/samples.ts#selectUploads',
  'storage/tables/installation/installation.ts#nextNumbers',
];

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
