import { formatC2Address } from '../../domain/c2-address.ts';
import { expiryAfter } from '../../domain/desk.ts';
import { nameReport, type Report } from '../../domain/report.ts';
import type { Created, NewReport } from '../../ports/report-store.ts';
import type { ReadyForms } from '../../ports/store.ts';
import type { NewReportRow } from '../tables.ts';
import { all, query, rows, type UnitOfWork } from '../unit-of-work.ts';
import { familyBySha256 } from './digests.ts';
import { appendEvent, type Place, Sequences } from './feed.ts';
import { takeReportNumbers } from './installation.ts';
import { COLUMNS, toRow } from './report-rows.ts';
import { putTags } from './report-tags.ts';
import { findRetry, keepRetry } from './retry-keys.ts';
import { SearchTerms } from './search-terms.ts';
import {
  countSighting,
  type Known,
  renewReports,
  type Spot,
  siblingsToRenew,
  WORTH_MOVING_MS,
} from './sightings.ts';

const insertReport = query<NewReportRow>()((db, hole) =>
  db.insertInto('report').values(all(hole, COLUMNS)),
);

/** What creates that come together share. */
interface Batch {
  readonly forms: ReadyForms;
  readonly sequences: Sequences;
  readonly terms: SearchTerms;
  /** That of the next report. */
  number: number;
  /** Until when the siblings of a C2 were renewed, where they were looked at. */
  readonly renewed: Map<string, Date>;
}

/** Creates that wait together, in the order in which they came. */
export function* createReports(
  reports: readonly NewReport[],
  forms: ReadyForms,
): UnitOfWork<readonly Created[]> {
  const answers: Created[] = [];
  const batch: Batch = {
    forms,
    sequences: new Sequences(reports),
    terms: new SearchTerms(),
    number: yield* takeReportNumbers(reports.length),
    renewed: new Map(),
  };
  for (const report of reports) answers.push(yield* createReport(report, batch));
  yield* batch.sequences.giveBack();
  return answers;
}

function* createReport(asked: NewReport, batch: Batch): UnitOfWork<Created> {
  const { id, service, c2, retry, reporterId, reportedAt } = asked;
  if (retry !== undefined) {
    const earlier = yield* findRetry(reporterId, retry, reportedAt);
    if (earlier !== undefined) return earlier;
  }
  const place = yield* batch.sequences.take(service);
  if (place === undefined) return { kind: 'unknown-service' };
  const spot: Spot = { service_id: place.serviceId, host: c2.host, port: c2.port };
  const known = yield* countSighting(spot, reporterId);
  const report = newReport(asked, place, known, yield* familyBySha256(asked.sha256));
  yield* addReport(report, place, batch);
  const searched = { name: report.name, tags: report.tags, host: c2.host };
  yield* batch.terms.add(place.serviceId, searched, known.sightings === 1);
  if (known.sightings > 1) yield* renewSiblings(report, spot, batch);
  if (retry !== undefined) yield* keepRetry(reporterId, retry, id, reportedAt.toISOString());
  return { kind: 'created', id };
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

function* addReport(report: Report, place: Place, batch: Batch): UnitOfWork<void> {
  const keys = { number: batch.number++, serviceId: place.serviceId };
  const written = toRow(report, keys, batch.forms);
  yield* rows(insertReport, written);
  yield* putTags(keys, report.tags);
  const at = written.reported_at;
  yield* appendEvent(place, { type: 'created', reportId: report.id, at });
}

/** Within a batch the siblings of a C2 are looked at once, unless its reports lie far apart. */
function* renewSiblings(report: Report, spot: Spot, batch: Batch): UnitOfWork<void> {
  const { service, c2, reportedAt: at, expiresAt } = report;
  const key = `${service} ${formatC2Address(c2)}`;
  const renewedUntil = batch.renewed.get(key)?.getTime() ?? Number.NEGATIVE_INFINITY;
  if (expiresAt.getTime() - renewedUntil < WORTH_MOVING_MS) return;
  batch.renewed.set(key, expiresAt);
  const siblings = yield* siblingsToRenew(spot, expiresAt);
  yield* renewReports(siblings, { service, at, expiresAt }, batch.sequences);
}
