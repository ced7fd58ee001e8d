import { formatC2Address } from '../../../domain/reports/c2-address.ts';
import { expiryAfter } from '../../../domain/reports/desk.ts';
import { isMisrouted, nameReport, type Report } from '../../../domain/reports/report.ts';
import type { Route } from '../../../domain/reports/route.ts';
import type { Refusal } from '../../../ports/authority.ts';
import type { CreateOutcome, NewReport } from '../../../ports/report-store.ts';
import type { FileEvidence } from '../../../ports/sample-store.ts';
import type { Serializers } from '../../../ports/store.ts';
import type { NewReportRow } from '../../tables.ts';
import {
  all,
  each,
  inParallel,
  lockFiles,
  lockRoutes,
  query,
  type UnitOfWork,
} from '../../unit-of-work.ts';
import { lockRights, refusalsOf } from '../accounts/permission.ts';
import { appendEvents, type FeedPosition, SequenceAllocator } from '../feeds/events.ts';
import { routesOf } from '../feeds/routes.ts';
import { takeReportNumbers } from '../installation.ts';
import { markReportedByHand, ProposalClaims } from '../proposals/proposal-claims.ts';
import { evidenceOf } from '../samples/evidence.ts';
import { SearchTerms } from '../search/search-terms.ts';
import { StatisticCounts } from '../statistics/counters.ts';
import { countSightings } from './c2-history.ts';
import type { C2Key } from './c2-key.ts';
import type { C2History } from './c2-tally.ts';
import { listByHost } from './host-reports.ts';
import { areRejected } from './rejected-c2s.ts';
import { MIN_EXTENSION_MS, type RepeatedSighting, renewSiblings } from './renew-reports.ts';
import { COLUMNS, toRow } from './report-rows.ts';
import { putTags } from './report-tags.ts';
import { RetryKeys } from './retry-keys.ts';

const insertReport = query<NewReportRow>()((db, parameter) =>
  db.insertInto('report').values(all(parameter, COLUMNS)),
);

interface Accepted {
  readonly request: NewReport;
  readonly position: FeedPosition;
  readonly c2Key: C2Key;
}

/**
 * Runs a batch of creates in the order of arrival. Each step is taken for all of them, so that on
 * PostgreSQL a step is one statement.
 */
export function* createReports(
  reports: readonly NewReport[],
  serializers: Serializers,
): UnitOfWork<readonly CreateOutcome[]> {
  const sequences = new SequenceAllocator(reports, latestOf(reports));
  const retries = new RetryKeys();
  const proposals = new ProposalClaims();
  // In this order: the rights, retry keys and proposals are read after the locks are taken.
  const [, , , , , , refusals] = yield* inParallel(
    lockRights(reports.flatMap(authorityOf)),
    // A concurrent analysis of these files waits for the commit, and then updates these reports.
    lockFiles(
      reports.map(({ sha256 }) => sha256),
      { isShared: true },
    ),
    lockRoutes({ isShared: true }),
    // No other transaction changes these feeds until the commit.
    sequences.reserve(),
    retries.load(reports),
    proposals.load(reports),
    refusalsByToken(reports),
  );
  const answers: CreateOutcome[] = [];
  const accepted: Accepted[] = [];
  for (const request of reports) {
    const refusal = refusals.get(request.tokenId);
    if (refusal !== undefined) {
      answers.push({ kind: 'refused', refusal });
      continue;
    }
    const earlier = retries.find(request) ?? proposals.find(request);
    const position = earlier === undefined ? yield* sequences.take(request.service) : undefined;
    answers.push(earlier ?? (position ? { kind: 'created', id: request.id } : UNKNOWN_SERVICE));
    if (position === undefined) continue;
    accepted.push({ request, position, c2Key: c2KeyOf(request, position) });
    retries.add(request, request.id);
    proposals.add(request, { id: request.id, serviceId: position.serviceId });
  }
  const counts = new StatisticCounts();
  const rejected = new Set(
    accepted.length > 0 ? yield* addReports(accepted, { sequences, counts, serializers }) : [],
  );
  yield* inParallel(retries.write(), proposals.write(), sequences.releaseUnused(), counts.write());
  return yield* withRejections(reports, answers, rejected);
}

/** Adds whether the C2 is rejected. `rejected` has the ids of such reports that were created. */
function* withRejections(
  reports: readonly NewReport[],
  answers: readonly CreateOutcome[],
  rejected: ReadonlySet<string>,
): UnitOfWork<readonly CreateOutcome[]> {
  const replayed = reports.filter((_, index) => answers[index]?.kind === 'replayed');
  if (rejected.size + replayed.length === 0) return answers;
  const found = yield* areRejected(
    replayed.map(({ service: slug, c2: { host, port } }) => ({ slug, host, port })),
  );
  const again = new Set(replayed.filter((_, index) => found[index]));
  return answers.map((answer, index) =>
    'id' in answer && (rejected.has(answer.id) || again.has(reports[index] as NewReport))
      ? { ...answer, isC2Rejected: true }
      : answer,
  );
}

function authorityOf({ reporterId: accountId, tokenId }: NewReport) {
  return tokenId === undefined ? [] : [{ accountId, tokenId }];
}

/**
 * By token. The gate checked it when the request arrived, which may be minutes ago for a large one.
 */
function* refusalsByToken(
  reports: readonly NewReport[],
): UnitOfWork<ReadonlyMap<string | undefined, Refusal | undefined>> {
  const authorities = reports.flatMap(authorityOf);
  const refusals = yield* refusalsOf(authorities, {
    role: 'researcher',
    now: latestOf(reports),
  });
  return new Map(authorities.map(({ tokenId }, index) => [tokenId, refusals[index]]));
}

function latestOf(reports: readonly NewReport[]): Date {
  return new Date(Math.max(0, ...reports.map(({ reportedAt }) => reportedAt.getTime())));
}

const UNKNOWN_SERVICE: CreateOutcome = { kind: 'unknown-service' };

function c2KeyOf({ c2 }: NewReport, { serviceId }: FeedPosition): C2Key {
  return { service_id: serviceId, host: c2.host, port: c2.port };
}

interface Writers {
  readonly sequences: SequenceAllocator;
  readonly counts: StatisticCounts;
  readonly serializers: Serializers;
}

/** Returns the ids of reports whose C2 is rejected. */
function* addReports(
  accepted: readonly Accepted[],
  { sequences, counts, serializers }: Writers,
): UnitOfWork<readonly string[]> {
  const [histories, evidence, routes, numbers] = yield* inParallel(
    countSightings(
      accepted.map(({ request: { id, reporterId }, c2Key: key }) => ({ id, key, reporterId })),
    ),
    evidenceOf(accepted.map(({ request: { sha256, c2 } }) => ({ sha256, ...c2 }))),
    routesOf(accepted.map(({ request }) => request.c2.host)),
    takeReportNumbers(accepted.length),
  );
  const added = accepted.map(({ request, position, c2Key }, index) => {
    // One for each of `accepted`.
    const history = histories[index] as C2History;
    const report = newReport(request, position, history, {
      evidence: evidence[index],
      route: routes.get(request.c2.host),
    });
    const { serviceId, addedAt } = position;
    const keys = { number: numbers[index] ?? 0, serviceId, addedAt };
    return { report, position, c2Key, keys, history };
  });
  const written = added.map(({ report, keys }) => toRow(report, keys, serializers));
  // One for each of `added`.
  for (const [index, { report, position }] of added.entries())
    counts.addReport(position.serviceId, written[index] as NewReportRow, {
      isMisrouted: isMisrouted(report),
    });
  const frequent = added.filter(({ history }) => history.isFrequentHost);
  const repeated = added.filter(({ history }) => history.sightings > 1);
  const byHand = added.filter(
    ({ report: { confirmation } }, index) =>
      // Only what the settings of the file name is proposed, so others cost no statement.
      confirmation === 'confirmed' && accepted[index]?.request.proposalId === undefined,
  );
  // Before the counters, like all locks of proposals.
  if (byHand.length > 0) yield* markReportedByHand(byHand.map(toByHand));
  const steps: UnitOfWork<unknown>[] = [
    each(insertReport, written),
    putTags(added.map(({ report, keys }) => ({ keys, tags: report.tags }))),
    appendEvents(
      added.map(({ report, position, keys: { number } }, index) => ({
        position,
        event: {
          type: 'created',
          reportId: report.id,
          at: written[index]?.reported_at ?? '',
          number,
        },
      })),
    ),
    new SearchTerms().addAll(
      added.map(({ report, position, history }) => ({
        serviceId: position.serviceId,
        report: { name: report.name, tags: report.tags, host: report.c2.host },
        isNewHost: !history.isKnownHost,
      })),
    ),
  ];
  // If nothing follows, the counters need no round trip of their own.
  if (frequent.length + repeated.length === 0 && !accepted.some(hasLaterSteps))
    steps.push(counts.write());
  yield* inParallel(...steps);
  yield* listByHost(frequent.map(({ report, keys }) => ({ ...keys, host: report.c2.host })));
  yield* renewSiblings(repeatedSightings(repeated), sequences);
  return added.filter(({ history }) => history.isRejected).map(({ report }) => report.id);
}

function toByHand({
  report,
  keys,
}: {
  readonly report: Report;
  readonly keys: { readonly serviceId: number };
}) {
  return { report, serviceId: keys.serviceId, isRouted: report.routedTo === report.service };
}

/** Deliveries of webhooks, retry keys and proposals are written after the report. */
function hasLaterSteps({ request: { retry, proposalId }, position }: Accepted): boolean {
  return position.webhookCount > 0 || retry !== undefined || proposalId !== undefined;
}

interface Judgement {
  /** `undefined`: the file has no analysis. */
  readonly evidence: FileEvidence | undefined;
  /** `undefined`: no service declares the host. */
  readonly route: Route | undefined;
}

/** Lists each member: spreading objects of this size is several times slower. */
export function newReport(
  request: NewReport,
  { sequence, expireAfterDays }: Pick<FeedPosition, 'sequence' | 'expireAfterDays'>,
  history: C2History,
  { evidence, route }: Judgement,
): Report {
  return {
    id: request.id,
    service: request.service,
    sequence,
    name: nameReport(evidence?.family, request.tags),
    tags: request.tags,
    c2: request.c2,
    reportedAt: request.reportedAt,
    reporterId: request.reporterId,
    reportedBy: request.reportedBy,
    sha256: request.sha256,
    firstSeenId: history.firstSeenId ?? request.id,
    reference: request.reference,
    confidence: request.confidence,
    createdSequence: sequence,
    status: 'open',
    statusReason: undefined,
    statusNote: undefined,
    updatedAt: request.reportedAt,
    expiresAt: expiryAfter(request.reportedAt, expireAfterDays),
    corroboration: history.corroboration,
    sightings: history.sightings,
    recurrence: history.recurrence,
    confirmation: evidence?.confirmation ?? 'unknown',
    routedTo: route?.service,
  };
}

interface Added {
  readonly report: Report;
  readonly c2Key: C2Key;
}

/**
 * The siblings of a C2 are renewed once for a batch, unless a later report of the batch extends the
 * expiry enough to be written.
 */
function repeatedSightings(added: readonly Added[]): readonly RepeatedSighting[] {
  const renewed = new Map<string, Date>();
  return added.flatMap(({ report, c2Key }) => {
    const { service, c2, reportedAt: at, expiresAt } = report;
    const text = `${service} ${formatC2Address(c2)}`;
    const renewedUntil = renewed.get(text)?.getTime() ?? Number.NEGATIVE_INFINITY;
    if (expiresAt.getTime() - renewedUntil < MIN_EXTENSION_MS) return [];
    renewed.set(text, expiresAt);
    return { key: c2Key, service, at, expiresAt };
  });
}
