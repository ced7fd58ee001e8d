import { isAnswer, type ReportStatus } from '../../../domain/reports/desk.ts';
import { isMisrouted } from '../../../domain/reports/report.ts';
import { all, each, lockTask, query, rows, type UnitOfWork } from '../../unit-of-work.ts';
import { lockFeeds } from '../feeds/feed-lock.ts';
import { advanceBackFill, backFillPosition } from '../search/back-fill.ts';
import { type Answer, answerOf, isAcknowledgement, StatisticCounts } from './counters.ts';

/**
 * Counts the reports that are older than the counters, newest first. Reports with a lower number
 * than the position are not counted yet: their changes are left to this task.
 */

export const COUNTING = 'statistics';
export const COUNTING_TASK = 'count old reports';

const selectOlder = query<{ before: number; limit: number }>()((db, parameter) =>
  db
    .selectFrom('report')
    .innerJoin('service', 'service.id', 'report.service_id')
    .select(['report.number', 'service.slug'])
    .where('report.number', '<', parameter.before)
    .orderBy('report.number', 'desc')
    .limit(parameter.limit),
);

const selectRange = query<{ first: number; before: number }>()((db, parameter) =>
  db
    .selectFrom('report')
    .innerJoin('service', 'service.id', 'report.service_id')
    .select([
      'report.number',
      'report.service_id',
      'report.name',
      'report.status',
      'report.status_reason',
      'report.reported_at',
      'report.reporter_id',
      'report.confirmation',
      'report.routed_to',
      'report.recurrence',
      'service.slug',
    ])
    .where('report.number', '>=', parameter.first)
    .where('report.number', '<', parameter.before)
    .orderBy('report.number'),
);

const selectChanges = query<{ first: number; before: number }>()((db, parameter) =>
  db
    .selectFrom('status_change')
    .select(['number', 'at', 'status', 'is_repeat'])
    .where('number', '>=', parameter.first)
    .where('number', '<', parameter.before)
    .orderBy('number')
    .orderBy('sequence'),
);

interface StoredAnswers {
  readonly number: number;
  readonly acted_at: string | null;
  readonly acted_bucket: number | null;
  readonly acknowledged_at: string;
  readonly acknowledged_bucket: number;
}

const setAnswers = query<StoredAnswers>()((db, parameter) =>
  db
    .updateTable('report')
    .set(all(parameter, ['acted_at', 'acted_bucket', 'acknowledged_at', 'acknowledged_bucket']))
    .where('number', '=', parameter.number),
);

/**
 * Whether the report of that number is counted. The feed must be locked, so that the answer stays
 * true until the commit.
 */
export function* countedReports(): UnitOfWork<(number: number) => boolean> {
  const position = yield* countedFrom();
  return (number) => number >= position;
}

/** Reports with a lower number are not counted yet; 0 if all are counted. */
export function* countedFrom(): UnitOfWork<number> {
  return (yield* backFillPosition(COUNTING)) ?? 0;
}

/** Counts at most `limit` old reports. Returns their number. */
export function* fillStatistics(limit: number): UnitOfWork<number> {
  yield* lockTask(COUNTING_TASK);
  const before = yield* backFillPosition(COUNTING);
  if (before === undefined) return 0;
  const older = yield* rows(selectOlder, { before, limit });
  const first = older.at(-1)?.number;
  if (first !== undefined) {
    yield* lockFeeds(older.map(({ slug }) => slug));
    yield* countRange({ first, before });
  }
  yield* advanceBackFill(COUNTING, first);
  return older.length;
}

type ReportRange = { readonly first: number; readonly before: number };

/** Read after the feeds are locked: reports may have changed or been deleted before that. */
function* countRange(range: ReportRange): UnitOfWork<void> {
  const reports = yield* rows(selectRange, range);
  const changes = Map.groupBy(yield* rows(selectChanges, range), ({ number }) => number);
  const counts = new StatisticCounts();
  const answers: StoredAnswers[] = [];
  for (const report of reports) {
    const { number, service_id, slug: service, routed_to } = report;
    const routedTo = routed_to ?? undefined;
    counts.addReport(service_id, report, { isMisrouted: isMisrouted({ service, routedTo }) });
    const set = (changes.get(number) ?? []).filter(({ is_repeat }) => is_repeat === 0);
    for (const { status, at } of set) counts.addStatusSet(service_id, status, at);
    const acknowledged = firstOf(report, set, isAcknowledgement);
    const acted = firstOf(report, set, isAnswer);
    if (acknowledged === undefined) continue;
    counts.addAcknowledgement(service_id, acknowledged);
    if (acted !== undefined) counts.addAnswer(service_id, acted);
    answers.push({
      number,
      acted_at: acted?.at ?? null,
      acted_bucket: acted?.bucket ?? null,
      acknowledged_at: acknowledged.at,
      acknowledged_bucket: acknowledged.bucket,
    });
  }
  yield* each(setAnswers, answers);
  yield* counts.write();
}

function firstOf(
  { reported_at }: { readonly reported_at: string },
  set: readonly { readonly status: ReportStatus; readonly at: string }[],
  matches: (status: ReportStatus) => boolean,
): Answer | undefined {
  const first = set.find(({ status }) => matches(status));
  return first && answerOf(reported_at, first.at);
}
