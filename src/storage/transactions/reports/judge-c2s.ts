import {
  changeRejection,
  followsJudgement,
  type JudgedChange,
} from '../../../domain/reports/c2-judgement.ts';
import type { C2RejectionRow } from '../../schema/tables.ts';
import { SequenceAllocator } from '../../tables/feeds/sequences.ts';
import type { C2Key } from '../../tables/reports/c2-key.ts';
import {
  deleteRejection,
  putRejection,
  selectBelow,
  selectPending,
  selectRejection,
  type VALUES,
} from '../../tables/reports/rejected-c2s.ts';
import { lockFeeds } from '../../units/locks.ts';
import { each, row, type UnitOfWork } from '../../units/unit-of-work.ts';
import { renewReports } from './renew-reports.ts';

/**
 * Records the C2s that the desk of a feed has rejected. Readers look them up, so that takes effect
 * at once. The other reports of the C2 are also changed, a bounded number at a time, because TAXII
 * clients and MISP fetch only what has changed.
 */

/** The reports changed in the transaction of the desk, of all its C2s; one of each at least. */
const MAX_CHANGED_WITH_DESK = 100;

/** Above the number of every report. */
const UNBOUNDED = Number.MAX_SAFE_INTEGER;

/** A report whose status the desk has changed. */
export interface JudgedReport extends JudgedChange {
  readonly number: number;
  readonly key: C2Key;
}

/**
 * Applies what the desk said about the C2s of these reports, in order. The caller has locked their
 * feed.
 */
export function* judgeC2s(
  service: string,
  judged: readonly JudgedReport[],
  sequences: SequenceAllocator,
  at: Date,
): UnitOfWork<void> {
  const byC2 = [...Map.groupBy(judged, ({ key: { host, port } }) => `${port} ${host}`).values()];
  const found = yield* each(
    selectRejection,
    byC2.flatMap(([first]) => first?.key ?? []),
  );
  const changed = byC2.flatMap((reports, index) => rowsAfter(reports, found[index]?.[0]));
  yield* each(putRejection, changed);
  const pending = changed.filter(({ pending_below }) => pending_below === UNBOUNDED);
  if (pending.length === 0) return;
  const skipped = new Set(judged.map(({ number }) => number));
  const limit = Math.max(1, Math.floor(MAX_CHANGED_WITH_DESK / pending.length));
  yield* changeReports(pending, { service, at, limit, skipped }, sequences);
}

type Rejection = Pick<C2RejectionRow, (typeof VALUES)[number]>;

/** The row of the C2, if it changes. All reports of the C2 are pending if its rejection turns. */
function rowsAfter(
  judged: readonly JudgedReport[],
  found: Rejection | undefined,
): readonly C2RejectionRow[] {
  const change = changeRejection(found, judged);
  const key = judged[0]?.key;
  if (key === undefined || change === undefined) return [];
  const { reports, sequence, isTurned } = change;
  const pending_below = isTurned ? UNBOUNDED : (found?.pending_below ?? null);
  return [{ ...key, reports, sequence, pending_below }];
}

interface ChangeOptions {
  readonly service: string;
  readonly at: Date;
  /** The limit on reports of each C2. */
  readonly limit: number;
  /** The numbers of reports that the same unit has changed already. */
  readonly skipped: ReadonlySet<number>;
}

/**
 * Changes the next reports of the C2s, newest first, so that readers fetch them again. Returns how
 * many were read.
 */
function* changeReports(
  rejections: readonly C2RejectionRow[],
  { service, at, limit, skipped }: ChangeOptions,
  sequences: SequenceAllocator,
): UnitOfWork<number> {
  const found = yield* each(
    selectBelow,
    rejections.map((one) => ({ ...keyOf(one), below: one.pending_below ?? 0, limit })),
  );
  const affected = found
    .flat()
    .filter((report) => followsJudgement(report) && !skipped.has(report.number));
  yield* renewReports(
    affected.map(({ id, number, expiresAt }) => ({
      id,
      number,
      service,
      at,
      expiresAt: new Date(expiresAt),
    })),
    sequences,
  );
  const left = rejections.map((one, index) => {
    const reports = found[index] ?? [];
    const last = reports.length < limit ? undefined : reports.at(-1);
    return { ...one, pending_below: last?.number ?? null };
  });
  const isOver = (one: C2RejectionRow) => one.pending_below === null && one.reports === 0;
  yield* each(
    putRejection,
    left.filter((one) => !isOver(one)),
  );
  yield* each(deleteRejection, left.filter(isOver).map(keyOf));
  return found.flat().length;
}

function keyOf({ service_id, host, port }: C2Key): C2Key {
  return { service_id, host, port };
}

/** A slice of the pending reports of a C2. Returns the number of steps; 0: none is left. */
export function* changePendingReports(at: Date, limit: number): UnitOfWork<number> {
  const pending = yield* row(selectPending, {});
  if (pending === undefined) return 0;
  const { slug, ...key } = pending;
  yield* lockFeeds([slug]);
  // Read again: before the feed was locked, another transaction may have changed it.
  const found = yield* row(selectRejection, key);
  if (found === undefined || found.pending_below === null) return 1;
  const sequences = new SequenceAllocator([], at);
  const options = { service: slug, at, limit, skipped: new Set<number>() };
  const done = yield* changeReports([{ ...key, ...found }], options, sequences);
  yield* sequences.releaseUnused();
  return Math.max(1, done);
}
