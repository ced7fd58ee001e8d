import type { Caller } from '../../domain/accounts/caller.ts';
import { type QuotaBalance, quotaWindowSeconds } from '../../domain/accounts/quota.ts';
import type { KnownLists } from '../../domain/lists/known-lists.ts';
import { formatC2Address } from '../../domain/reports/c2-address.ts';
import { maySeeAuthor } from '../../domain/reports/change.ts';
import { isMisrouted, type Report } from '../../domain/reports/report.ts';
import type { AnalysisReport } from '../../domain/samples/analysis-report.ts';
import type { ListedTokens } from '../../operations/accounts/list-tokens.ts';
import type { ShownUsage } from '../../operations/accounts/show-usage.ts';
import type { ListedService } from '../../operations/ownership/verified-hosts.ts';
import type { FoundOne } from '../../operations/samples/look-up-samples.ts';
import type { SubmittedSample } from '../../operations/samples/submit-sample.ts';
import type { CountedService } from '../../operations/services/page-services.ts';
import type { AuditPage } from '../../ports/audit-context.ts';
import type { SampleStatus, SimilarSample } from '../../ports/sample-store.ts';
import type { Account, IndexedAnalysis, Serializers, Token } from '../../ports/store.ts';

/** The ten fields of the specification, section 2.1. */
function presentReport(report: Report) {
  return {
    id: report.id,
    name: report.name,
    tags: report.tags,
    c2Address: formatC2Address(report.c2),
    reportedAt: formatSpaced(report.reportedAt),
    reportedBy: report.reportedBy,
    file256Hash: report.sha256,
    firstSeenID: report.firstSeenId,
    referenceLink: report.reference,
    confidenceScore: report.confidence,
  };
}

/**
 * The ten fields, the report's status since (decision 0009), and the lists that have its host or
 * file. `viewer` decides whether authors are shown.
 */
export function presentExtended(report: Report, lists: KnownLists, viewer?: Caller) {
  const { statusReason, statusNote, statusBy } = report;
  return {
    ...presentReport(report),
    service: report.service,
    sequence: report.sequence,
    status: report.status,
    statusReason: statusReason ?? null,
    ...(statusNote !== undefined && { statusNote }),
    ...(statusBy !== undefined && maySeeAuthor(viewer, report) && { statusBy }),
    updatedAt: formatUtc(report.updatedAt),
    expiresAt: formatUtc(report.expiresAt),
    corroboration: report.corroboration,
    sightings: report.sightings,
    recurrence: report.recurrence,
    confirmation: report.confirmation,
    misrouted: isMisrouted(report),
    routedTo: report.routedTo ?? null,
    knownAs: lists.ofReport(report),
  };
}

/** Reports are stored and sent in these forms. */
export const serializers: Serializers = {
  report: (report) => JSON.stringify(presentReport(report)),
  analysis: (report) => JSON.stringify(presentAnalysis(report)),
  readAnalysis,
};

/** The inverse of `presentAnalysis`, for analyses that older versions stored. */
function readAnalysis(body: string): IndexedAnalysis | undefined {
  try {
    const report = JSON.parse(body) as ReturnType<typeof presentAnalysis>;
    const { ssDeep, fileName, tags, mD5Hash, sha1Hash } = report;
    return { ssdeep: ssDeep, fileName, tags, md5: mD5Hash, sha1: sha1Hash };
  } catch {
    return undefined;
  }
}

/** The twelve fields of the specification, section 2.2. */
function presentAnalysis(report: AnalysisReport) {
  return {
    date: formatUtc(report.date),
    tags: report.tags.map(({ heat, name }) => ({ heat, name })),
    ssDeep: report.ssdeep,
    configs: report.configs,
    mD5Hash: report.md5,
    fileName: report.fileName,
    sha1Hash: report.sha1,
    blake3Hash: report.blake3,
    sha256Hash: report.sha256,
    sha512Hash: report.sha512,
    sizeInBytes: report.sizeBytes,
    staticAnalysisDuration: report.duration,
  };
}

export function presentSubmitted({ digests, status }: SubmittedSample) {
  const { state } = status;
  return {
    blake3Hash: digests.blake3,
    sha256Hash: digests.sha256,
    // Uploaders need to know only whether the analysis has ended.
    status: state === 'done' || state === 'failed' ? state : ('queued' as const),
  };
}

export function presentStatus({ state, reason }: SampleStatus) {
  return { status: state, ...(reason !== undefined && { reason }) };
}

export function presentSimilar(similar: readonly SimilarSample[]) {
  return {
    similar: similar.map(({ sha256, score, distance, fileName, tags }) => ({
      sha256Hash: sha256,
      score,
      ...(distance !== undefined && { distance }),
      fileName,
      tags,
    })),
    successful: true as const,
  };
}

/** Small reports are sent together. A large one is read once those before it were sent. */
const BATCH_CHUNK_LENGTH = 64 * 1024;

/** Assembles the response from stored JSON without parsing it. */
export async function* batchChunks(
  results: readonly FoundOne[],
  readLarge: (key: number) => Promise<string | undefined>,
): AsyncGenerator<string> {
  let chunk = '{"results":[';
  for (const [index, { text, isHash, body, large }] of results.entries()) {
    // A report that was removed meanwhile counts as not found.
    const report = large === undefined ? body : await readLarge(large.key);
    const status = report === undefined ? (isHash ? 404 : 400) : 200;
    const found = report === undefined ? '' : `,"report":${report}`;
    chunk += `${index > 0 ? ',' : ''}{"hash":${JSON.stringify(text)},"status":${status}${found}}`;
    if (chunk.length < BATCH_CHUNK_LENGTH) continue;
    yield chunk;
    chunk = '';
  }
  yield `${chunk}],"successful":true}`;
}

export function wrapDetails(body: string): string {
  return `{"details":${body},"successful":true}`;
}

export function wrapReportAndDetails(report: string, details: string | undefined): string {
  return `{"report":${report},"details":${details ?? 'null'},"successful":true}`;
}

/** The largest integer of a structured header field. It stands for "no limit". */
export const UNLIMITED = 999_999_999_999_999;
/** Stands for "never" where existing clients fail on `null`. */
export const NEVER = '9999-12-31T23:59:59Z';

export function presentBalance({ quota, expiresAt, createdAt }: Account) {
  return {
    requests_left: quota.remaining ?? UNLIMITED,
    expiration_date: expiresAt === undefined ? NEVER : formatUtc(expiresAt),
    created_at: formatUtc(createdAt),
  };
}

export function presentService(service: ListedService) {
  return { ...service, createdAt: formatUtc(service.createdAt) };
}

export function presentCountedService({ openReports, ...service }: CountedService) {
  return { ...presentService(service), openReports: openReports ?? null };
}

export function presentAccount(account: Account) {
  const { limit, period, remaining, resetsAt } = account.quota;
  return {
    id: account.id,
    name: account.name,
    roles: account.roles,
    services: account.services,
    quota: { limit, period, remaining, resetsAt: formatUtcOrNull(resetsAt) },
    createRate: account.createRate ?? null,
    disabled: account.disabled,
    expiresAt: formatUtcOrNull(account.expiresAt),
    createdAt: formatUtc(account.createdAt),
  };
}

export function presentToken(token: Token) {
  return {
    id: token.id,
    hint: token.hint,
    label: token.label,
    createdAt: formatUtc(token.createdAt),
    expiresAt: formatUtcOrNull(token.expiresAt),
    lastUsedAt: formatUtcOrNull(token.lastUsedAt),
    revokedAt: formatUtcOrNull(token.revokedAt),
    issuedBy: token.issuerId ?? null,
    issuedVia: token.origin,
  };
}

export function presentAuditPage({ entries, nextBefore }: AuditPage) {
  return {
    entries: entries.map((entry) => ({ ...entry, at: formatUtc(entry.at) })),
    nextBefore: nextBefore ?? null,
  };
}

export function presentTokens({ tokens, nextCursor }: ListedTokens) {
  return {
    tokens: tokens.map(presentToken),
    hasMore: nextCursor !== undefined,
    nextCursor: nextCursor ?? null,
  };
}

export function presentUsage({ days, nextCursor }: ShownUsage) {
  return {
    days: days.map(({ entries, ...day }) => ({ ...day, entries: entries.map(presentEntry) })),
    nextCursor: nextCursor ?? null,
    hasMore: nextCursor !== undefined,
    successful: true as const,
  };
}

function presentEntry({
  operation,
  token,
  units,
  firstAt,
  lastAt,
}: ShownUsage['days'][number]['entries'][number]) {
  return {
    operation,
    token: token ?? null,
    units,
    firstAt: formatUtc(firstAt),
    lastAt: formatUtc(lastAt),
  };
}

/**
 * Quota headers in the older form that most clients read, and in the IETF form
 * (draft-ietf-httpapi-ratelimit-headers).
 */
export function quotaHeaders(quota: QuotaBalance, now: Date): Record<string, string> {
  const limit = quota.limit ?? UNLIMITED;
  const remaining = quota.remaining ?? UNLIMITED;
  const headers: Record<string, string> = {
    'x-ratelimit-limit': String(limit),
    'x-ratelimit-remaining': String(remaining),
  };
  if (quota.resetsAt === undefined) {
    headers['ratelimit-policy'] = `"lookup";q=${limit}`;
    headers['ratelimit'] = `"lookup";r=${remaining}`;
    return headers;
  }
  const reset = quota.resetsAt.getTime();
  headers['x-ratelimit-reset'] = String(reset / 1000);
  headers['ratelimit-policy'] = `"lookup";q=${limit};w=${quotaWindowSeconds(quota.period, now)}`;
  headers['ratelimit'] =
    `"lookup";r=${remaining};t=${Math.max(0, Math.ceil((reset - now.getTime()) / 1000))}`;
  return headers;
}

/** `YYYY-MM-DD HH:MM:SS`, the form of reports in feeds. */
function formatSpaced(date: Date): string {
  const iso = date.toISOString();
  return `${iso.slice(0, 10)} ${iso.slice(11, 19)}`;
}

/** `YYYY-MM-DDTHH:MM:SSZ`, the form of all other dates. */
export function formatUtc(date: Date): string {
  return `${date.toISOString().slice(0, 19)}Z`;
}

export function formatUtcOrNull(date: Date | undefined): string | null {
  return date === undefined ? null : formatUtc(date);
}
