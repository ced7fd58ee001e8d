import type { ReportStatus } from '../../../domain/reports/desk.ts';
import {
  isByOthers,
  type Judgement,
  lastJudgement,
  type SetStatus,
} from '../../../domain/trust/judgement.ts';
import type { JudgementCount } from '../../../domain/trust/outcome.ts';
import { all, query } from '../../units/query.ts';
import { each, rows, type UnitOfWork } from '../../units/unit-of-work.ts';
import { added } from './added.ts';

/** The judgements by others than the reporter, including those of deleted reports. */

const selectOwner = query<{ reporterId: string; serviceId: number }>()((db, parameter) =>
  db
    .selectFrom('account_service')
    .select('account_id')
    .where('account_id', '=', parameter.reporterId)
    .where('service_id', '=', parameter.serviceId),
);

const selectChanges = query<{ first: number; before: number }>()((db, parameter) =>
  db
    .selectFrom('status_change')
    .select(['number', 'at', 'status', 'status_reason', 'status_by', 'is_repeat', 'is_self'])
    .where('number', '>=', parameter.first)
    .where('number', '<', parameter.before)
    .orderBy('number')
    .orderBy('sequence'),
);

const COUNTS = ['judged_right', 'judged_wrong'] as const satisfies readonly JudgementCount[];

const addDeleted = query<
  { reporter_id: string; service_id: number } & Record<JudgementCount, number>
>()((db, parameter) =>
  db
    .insertInto('deleted_judgement')
    .values(all(parameter, ['reporter_id', 'service_id', ...COUNTS]))
    .onConflict((conflict) =>
      conflict
        .columns(['reporter_id', 'service_id'])
        .doUpdateSet(added('deleted_judgement', COUNTS)),
    ),
);

/** The feeds of these reports that their reporters own. */
export class FeedOwners {
  readonly #keys: ReadonlySet<string>;

  private constructor(keys: ReadonlySet<string>) {
    this.#keys = keys;
  }

  static *among(reports: readonly JudgedReport[]): UnitOfWork<FeedOwners> {
    const pairs = [...new Map(reports.map((report) => [keyOf(report), report])).values()];
    const found = yield* each(
      selectOwner,
      pairs.map(({ reporter_id, service_id }) => ({
        reporterId: reporter_id,
        serviceId: service_id,
      })),
    );
    const owned = pairs.filter((_, index) => found[index]?.[0] !== undefined);
    return new FeedOwners(new Set(owned.map(keyOf)));
  }

  ownsFeed(report: JudgedReport): boolean {
    return this.#keys.has(keyOf(report));
  }
}

function keyOf({ reporter_id, service_id }: JudgedReport): string {
  return `${service_id} ${reporter_id}`;
}

export interface JudgedReport {
  readonly reporter_id: string;
  readonly service_id: number;
}

interface OldReport extends JudgedReport {
  readonly number: number;
  readonly reported_by: string;
  readonly status: ReportStatus;
  readonly status_reason: string | null;
  readonly status_by: string | null;
}

export interface Answered extends SetStatus {
  readonly at: string;
  readonly isRepeat: boolean;
}

/** All statuses that were set, and those by others; oldest first. */
export interface Answers {
  readonly all: readonly Answered[];
  readonly byOthers: readonly Answered[];
  readonly judgement: Judgement | undefined;
}

export const NO_ANSWERS: Answers = { all: [], byOthers: [], judgement: undefined };

/** The histories of these reports, in a range of numbers. The caller has locked their feeds. */
export function* answersOf(
  reports: readonly OldReport[],
  range: { readonly first: number; readonly before: number },
): UnitOfWork<ReadonlyMap<number, Answers>> {
  const changes = Map.groupBy(yield* rows(selectChanges, range), ({ number }) => number);
  const owners = yield* FeedOwners.among(reports);
  return new Map(
    reports.map((report) => {
      const reporter = { name: report.reported_by, ownsFeed: owners.ownsFeed(report) };
      const answers = (changes.get(report.number) ?? []).map(toAnswer);
      const byOthers = answers.filter((answer) => isByOthers(answer, reporter));
      // The status may have been set before changes were recorded.
      const judged = answers.length === 0 ? [currentStatus(report)] : byOthers;
      const judgement = lastJudgement(judged.filter((answer) => isByOthers(answer, reporter)));
      return [report.number, { all: answers, byOthers, judgement }];
    }),
  );
}

function toAnswer(change: {
  readonly at: string;
  readonly status: ReportStatus;
  readonly status_reason: string | null;
  readonly status_by: string | null;
  readonly is_repeat: number;
  readonly is_self: number | null;
}): Answered {
  return {
    at: change.at,
    status: change.status,
    reason: change.status_reason,
    by: change.status_by,
    isRepeat: change.is_repeat !== 0,
    isSelf: change.is_self === null ? null : change.is_self !== 0,
  };
}

function currentStatus({ status, status_reason, status_by }: OldReport): SetStatus {
  return { status, reason: status_reason, by: status_by, isSelf: null };
}

/** The judgement of a report that is deleted before it was counted. */
export function* judgementOfUncounted(report: OldReport): UnitOfWork<Judgement | undefined> {
  const range = { first: report.number, before: report.number + 1 };
  return (yield* answersOf([report], range)).get(report.number)?.judgement;
}

/** Keeps the judgement of a report that is deleted. The caller has locked the feed. */
export function* keepJudgement(
  { reporter_id, service_id }: JudgedReport,
  judgement: Judgement,
): UnitOfWork<void> {
  yield* rows(addDeleted, {
    reporter_id,
    service_id,
    judged_right: Number(judgement === 'right'),
    judged_wrong: Number(judgement === 'wrong'),
  });
}
