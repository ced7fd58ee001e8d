import { isAcknowledgement, isAnswer, type ReportStatus } from '../../../domain/reports/desk.ts';
import { isMisrouted } from '../../../domain/reports/report.ts';
import { type Answer, answerOf } from '../../../domain/reports/statistics.ts';
import type { Judgement } from '../../../domain/trust/judgement.ts';
import { advanceBackFill, backFillPosition } from '../../units/back-fill.ts';
import { lockFeeds, lockTask } from '../../units/locks.ts';
import { all, query } from '../../units/query.ts';
import { each, rows, type UnitOfWork } from '../../units/unit-of-work.ts';
import { StatisticCounts } from './counters.ts';
import { type Answered, type Answers, answersOf, NO_ANSWERS } from './judgements.ts';

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
      'report.status_by',
      'report.reported_at',
      'report.reporter_id',
      'report.reported_by',
      'report.confirmation',
      'report.routed_to',
      'report.recurrence',
      'service.slug',
    ])
    .where('report.number', '>=', parameter.first)
    .where('report.number', '<', parameter.before)
    .orderBy('report.number'),
);

interface StoredAnswers {
  readonly number: number;
  readonly acted_at: string | null;
  readonly acted_bucket: number | null;
  readonly acknowledged_at: string | null;
  readonly acknowledged_bucket: number | null;
  readonly judgement: Judgement | null;
}

const setAnswers = query<StoredAnswers>()((db, parameter) =>
  db
    .updateTable('report')
    .set(
      all(parameter, [
        'acted_at',
        'acted_bucket',
        'acknowledged_at',
        'acknowledged_bucket',
        'judgement',
      ]),
    )
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
  const answers = yield* answersOf(reports, range);
  const counts = new StatisticCounts();
  const stored = reports.flatMap((report) => {
    const { service_id, slug: service, routed_to } = report;
    const routedTo = routed_to ?? undefined;
    const answered = answers.get(report.number) ?? NO_ANSWERS;
    const { judgement } = answered;
    const misrouted = { isMisrouted: isMisrouted({ service, routedTo }) };
    counts.addReport(service_id, { ...report, judgement }, misrouted);
    return countAnswers(counts, report, answered);
  });
  yield* each(setAnswers, stored);
  yield* counts.write();
}

/** Returns what is stored with the report, if it was answered. */
function countAnswers(
  counts: StatisticCounts,
  report: { readonly number: number; readonly service_id: number; readonly reported_at: string },
  { all: set, byOthers, ...answered }: Answers,
): readonly StoredAnswers[] {
  const { number, service_id } = report;
  for (const { status, at, isRepeat } of set)
    if (!isRepeat) counts.addStatusSet(service_id, status, at);
  const acknowledged = firstOf(report, byOthers, isAcknowledgement);
  const acted = firstOf(report, byOthers, isAnswer);
  if (acknowledged !== undefined) counts.addAcknowledgement(service_id, acknowledged);
  if (acted !== undefined) counts.addAnswer(service_id, acted);
  const judgement = answered.judgement ?? null;
  if (set.length === 0 && judgement === null) return [];
  const [acted_at, acted_bucket] = columnsOf(acted);
  const [acknowledged_at, acknowledged_bucket] = columnsOf(acknowledged);
  return [{ number, acted_at, acted_bucket, acknowledged_at, acknowledged_bucket, judgement }];
}

function columnsOf(answer: Answer | undefined): readonly [string | null, number | null] {
  return answer === undefined ? [null, null] : [answer.at.toISOString(), answer.bucket];
}

function firstOf(
  { reported_at }: { readonly reported_at: string },
  answers: readonly Answered[],
  matches: (status: ReportStatus) => boolean,
): Answer | undefined {
  const first = answers.find(({ status, isRepeat }) => !isRepeat && matches(status));
  return first && answerOf(new Date(reported_at), new Date(first.at));
}
