import { isAnswer } from '../../../domain/reports/desk.ts';
import { each, lockTask, query, rows, type UnitOfWork } from '../../unit-of-work.ts';
import { lockFeeds } from '../feeds/feed-lock.ts';
import { advanceBackFill, backFillPosition } from '../search/back-fill.ts';
import { answerOf, StatisticCounts } from './counters.ts';

/**
 * Counts the reports that are older than the counters, newest first. Reports with a lower number
 * than the position are not counted yet: their changes are left to this task.
 */

const BACK_FILL = 'statistics';

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
    .select(['number', 'service_id', 'name', 'status', 'reported_at'])
    .where('number', '>=', parameter.first)
    .where('number', '<', parameter.before)
    .orderBy('number'),
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

const setAnswer = query<{ number: number; acted_at: string; acted_bucket: number }>()(
  (db, parameter) =>
    db
      .updateTable('report')
      .set({ acted_at: parameter.acted_at, acted_bucket: parameter.acted_bucket })
      .where('number', '=', parameter.number),
);

/**
 * Whether the report of that number is counted. The feed must be locked, so that the answer stays
 * true until the commit.
 */
export function* countedReports(): UnitOfWork<(number: number) => boolean> {
  const position = (yield* backFillPosition(BACK_FILL)) ?? 0;
  return (number) => number >= position;
}

/** Counts at most `limit` old reports. Returns their number. */
export function* fillStatistics(limit: number): UnitOfWork<number> {
  yield* lockTask('count old reports');
  const before = yield* backFillPosition(BACK_FILL);
  if (before === undefined) return 0;
  const older = yield* rows(selectOlder, { before, limit });
  const first = older.at(-1)?.number;
  if (first !== undefined) {
    yield* lockFeeds(older.map(({ slug }) => slug));
    yield* countRange({ first, before });
  }
  yield* advanceBackFill(BACK_FILL, first);
  return older.length;
}

type ReportRange = { readonly first: number; readonly before: number };

/** Read after the feeds are locked: reports may have changed or been deleted before that. */
function* countRange(range: ReportRange): UnitOfWork<void> {
  const reports = yield* rows(selectRange, range);
  const changes = Map.groupBy(yield* rows(selectChanges, range), ({ number }) => number);
  const counts = new StatisticCounts();
  const answers: { number: number; acted_at: string; acted_bucket: number }[] = [];
  for (const report of reports) {
    const { number, service_id } = report;
    counts.addReport(service_id, report);
    const set = (changes.get(number) ?? []).filter(({ is_repeat }) => is_repeat === 0);
    for (const { status, at } of set) counts.addStatusSet(service_id, status, at);
    const first = set.find(({ status }) => isAnswer(status));
    if (first === undefined) continue;
    const answer = answerOf(report.reported_at, first.at);
    counts.addAnswer(service_id, answer);
    answers.push({ number, acted_at: answer.actedAt, acted_bucket: answer.bucket });
  }
  yield* each(setAnswer, answers);
  yield* counts.write();
}
