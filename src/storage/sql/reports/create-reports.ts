import { formatC2Address } from '../../../domain/reports/c2-address.ts';
import { expiryAfter } from '../../../domain/reports/desk.ts';
import { nameReport, type Report } from '../../../domain/reports/report.ts';
import type { Refusal } from '../../../ports/authority.ts';
import type { Created, NewReport } from '../../../ports/report-store.ts';
import type { Serializers } from '../../../ports/store.ts';
import type { NewReportRow } from '../../tables.ts';
import { all, each, inParallel, lockFiles, query, type UnitOfWork } from '../../unit-of-work.ts';
import { holdRights, refusalsOf } from '../accounts/permission.ts';
import { appendEvents, type Place, Sequences } from '../feeds/events.ts';
import { takeReportNumbers } from '../installation.ts';
import { familiesBySha256 } from '../samples/sample-rows.ts';
import { SearchTerms } from '../search/search-terms.ts';
import { COLUMNS, toRow } from './report-rows.ts';
import { putTags } from './report-tags.ts';
import { RetryKeys } from './retry-keys.ts';
import {
  countSightings,
  type Known,
  NEW,
  renewSiblings,
  type SeenAgain,
  type Spot,
  WORTH_MOVING_MS,
} from './sightings.ts';

const insertReport = query<NewReportRow>()((db, parameter) =>
  db.insertInto('report').values(all(parameter, COLUMNS)),
);

/** A report that is to be written, with its place. */
interface Accepted {
  readonly asked: NewReport;
  readonly place: Place;
  readonly spot: Spot;
}

/**
 * Creates that wait together, in the order in which they came: step by step for all of them, so that a database across
 * a wire has one statement for each step.
 */
export function* createReports(
  reports: readonly NewReport[],
  serializers: Serializers,
): UnitOfWork<readonly Created[]> {
  const sequences = new Sequences(reports);
  yield* inParallel(
    holdRights(reports.flatMap(authorityOf)),
    // An analysis that arrives meanwhile waits, so that it finds these reports and gives them its name.
    lockFiles(
      reports.map(({ sha256 }) => sha256),
      { isShared: true },
    ),
  );
  // From now on until the commit nobody else changes these feeds.
  yield* sequences.reserve();
  const retries = new RetryKeys();
  const [, refusals] = yield* inParallel(retries.load(reports), refusalsByToken(reports));
  const answers: Created[] = [];
  const accepted: Accepted[] = [];
  for (const asked of reports) {
    const refusal = refusals.get(asked.tokenId);
    if (refusal !== undefined) {
      answers.push({ kind: 'refused', refusal });
      continue;
    }
    const earlier = retries.find(asked);
    const place = earlier === undefined ? yield* sequences.take(asked.service) : undefined;
    answers.push(earlier ?? (place ? { kind: 'created', id: asked.id } : UNKNOWN_SERVICE));
    if (place === undefined) continue;
    accepted.push({ asked, place, spot: spotOf(asked, place) });
    retries.keep(asked, asked.id);
  }
  if (accepted.length > 0) yield* addReports(accepted, sequences, serializers);
  yield* retries.write();
  yield* sequences.giveBack();
  return answers;
}

function authorityOf({ reporterId: accountId, tokenId }: NewReport) {
  return tokenId === undefined ? [] : [{ accountId, tokenId }];
}

/** By token: a call may have waited for its turn, or be one of many in a request that takes minutes to arrive. */
function* refusalsByToken(
  reports: readonly NewReport[],
): UnitOfWork<ReadonlyMap<string | undefined, Refusal | undefined>> {
  const authorities = reports.flatMap(authorityOf);
  const now = new Date(Math.max(0, ...reports.map(({ reportedAt }) => reportedAt.getTime())));
  const refusals = yield* refusalsOf(authorities, { role: 'researcher', now });
  return new Map(authorities.map(({ tokenId }, index) => [tokenId, refusals[index]]));
}

const UNKNOWN_SERVICE: Created = { kind: 'unknown-service' };

function spotOf({ c2 }: NewReport, { serviceId }: Place): Spot {
  return { service_id: serviceId, host: c2.host, port: c2.port };
}

function* addReports(
  accepted: readonly Accepted[],
  sequences: Sequences,
  serializers: Serializers,
): UnitOfWork<void> {
  const [known, families, numbers] = yield* inParallel(
    countSightings(
      accepted.map(({ asked, spot }) => ({ id: asked.id, spot, reporterId: asked.reporterId })),
    ),
    familiesBySha256(accepted.map(({ asked }) => asked.sha256)),
    takeReportNumbers(accepted.length),
  );
  const added = accepted.map(({ asked, place, spot }, turn) => {
    const seen = known[turn] ?? NEW;
    const report = newReport(asked, place, seen, families.get(asked.sha256));
    const keys = { number: numbers[turn] ?? 0, serviceId: place.serviceId };
    return { report, place, spot, keys, isFirst: seen.sightings === 1 };
  });
  const written = added.map(({ report, keys }) => toRow(report, keys, serializers));
  yield* inParallel(
    each(insertReport, written),
    putTags(added.map(({ report, keys }) => ({ keys, tags: report.tags }))),
    appendEvents(
      added.map(({ report, place }, turn) => ({
        place,
        happening: { type: 'created', reportId: report.id, at: written[turn]?.reported_at ?? '' },
      })),
    ),
    new SearchTerms().addAll(
      added.map(({ report, place, isFirst }) => ({
        serviceId: place.serviceId,
        report: { name: report.name, tags: report.tags, host: report.c2.host },
        isNewHost: isFirst,
      })),
    ),
  );
  yield* renewSiblings(seenAgain(added.filter(({ isFirst }) => !isFirst)), sequences);
}

/** Each member by name: an object so large is several times as slow when it is put together from others. */
function newReport(
  asked: NewReport,
  { sequence, expireAfterDays }: Place,
  known: Known,
  family: string | undefined,
): Report {
  return {
    id: asked.id,
    service: asked.service,
    sequence,
    name: nameReport(family, asked.tags),
    tags: asked.tags,
    c2: asked.c2,
    reportedAt: asked.reportedAt,
    reporterId: asked.reporterId,
    reportedBy: asked.reportedBy,
    sha256: asked.sha256,
    firstSeenId: known.firstSeenId ?? asked.id,
    reference: asked.reference,
    confidence: asked.confidence,
    createdSequence: sequence,
    status: 'open',
    statusReason: undefined,
    statusNote: undefined,
    updatedAt: asked.reportedAt,
    expiresAt: expiryAfter(asked.reportedAt, expireAfterDays),
    corroboration: known.corroboration,
    sightings: known.sightings,
    recurrence: known.recurrence,
  };
}

interface Added {
  readonly report: Report;
  readonly spot: Spot;
}

/** Within a batch the siblings of a C2 are looked at once, unless its reports lie far apart. */
function seenAgain(added: readonly Added[]): readonly SeenAgain[] {
  const renewed = new Map<string, Date>();
  return added.flatMap(({ report, spot }) => {
    const { service, c2, reportedAt: at, expiresAt } = report;
    const key = `${service} ${formatC2Address(c2)}`;
    const renewedUntil = renewed.get(key)?.getTime() ?? Number.NEGATIVE_INFINITY;
    if (expiresAt.getTime() - renewedUntil < WORTH_MOVING_MS) return [];
    renewed.set(key, expiresAt);
    return { spot, service, at, expiresAt };
  });
}
