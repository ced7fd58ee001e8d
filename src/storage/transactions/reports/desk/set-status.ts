import { expiryAfter, isAnswer } from '../../../../domain/reports/desk.ts';
import type {
  StatusChangeRequest,
  StatusOutcome,
  StatusTarget,
} from '../../../../ports/feed-store.ts';
import type { StatusChangeRow } from '../../../schema/tables.ts';
import { checkRights, lockOwnFeed } from '../../../tables/accounts/permission.ts';
import { type FeedPosition, SequenceAllocator } from '../../../tables/feeds/sequences.ts';
import { setReport } from '../../../tables/reports/report-changes.ts';
import { addStatusChanges } from '../../../tables/reports/status-changes.ts';
import {
  type Answer,
  answerOf,
  isAcknowledgement,
  StatisticCounts,
} from '../../../tables/statistics/counters.ts';
import { countedReports } from '../../../tables/statistics/fill-statistics.ts';
import { writeAudit } from '../../../units/audit.ts';
import { lockRoutes } from '../../../units/locks.ts';
import { inParallel, row, rows, type UnitOfWork } from '../../../units/unit-of-work.ts';
import { appendEvent } from '../append-events.ts';
import { type JudgedReport, judgeC2s } from '../judge-c2s.ts';
import { type WithJudgement, withJudgements } from './new-judgements.ts';
import { countRoute, isReopened, type WithNewRoute, withRoutes } from './reopened-routes.ts';
import { type DeskRow, findTargets } from './targets.ts';

export function* setStatus(
  target: StatusTarget,
  change: StatusChangeRequest,
): UnitOfWork<StatusOutcome | 'forbidden' | 'token-ended'> {
  const { service } = target;
  const { accountId, tokenId, at: now } = change;
  // Checked again for every slice of a long change.
  if (tokenId !== undefined && (yield* checkRights({ accountId, tokenId }, { now })) !== undefined)
    return 'token-ended';
  const { feed } = yield* inParallel({
    routes: lockRoutes({ isShared: true }),
    feed: row(lockOwnFeed, { slug: service, accountId }),
  });
  if (feed === undefined) return 'forbidden';
  const { found, absent, next } = yield* findTargets(target, feed.id);
  const changing = yield* withJudgements(
    yield* withRoutes(
      found.filter((report) => !hasStatus(report, change)),
      change.status,
    ),
    change,
    feed.id,
  );
  const sequences = new SequenceAllocator(
    changing.map(() => ({ service })),
    now,
  );
  const isCounted = yield* countedReports();
  const counts = new StatisticCounts();
  const changes: StatusChangeRow[] = [];
  const judged: JudgedReport[] = [];
  for (const report of changing) {
    // The feed exists: it is locked.
    const position = (yield* sequences.take(service)) as FeedPosition;
    const update = { report, change, position };
    const answers = isCounted(report.number) ? countChange(update, counts) : {};
    changes.push(yield* changeStatus(update, answers));
    judged.push(judgedReport(update));
  }
  yield* addStatusChanges(changes);
  yield* judgeC2s(service, judged, sequences, now);
  yield* sequences.releaseUnused();
  if (changing.length > 0) yield* recordStatus(target, change, changing);
  yield* counts.write();
  return { changed: changing.length, absent, next };
}

/**
 * Writes one entry for all reports of the transaction, so that bulk changes do not flood the log.
 */
function* recordStatus(
  { service, ids, filter }: StatusTarget,
  { actor, at, status, reason }: StatusChangeRequest,
  changing: readonly DeskRow[],
): UnitOfWork<void> {
  const [only] = changing;
  const isOne = ids?.length === 1 && only !== undefined;
  yield* writeAudit({ actor, at }, 'report.status', isOne ? only.id : service, {
    service,
    status,
    ...(reason !== undefined && { reason }),
    changed: changing.length,
    ...(ids === undefined && { filter }),
  });
}

function judgedReport({ report, change, position }: StatusUpdate): JudgedReport {
  const { number, host, port, status, status_reason } = report;
  const { serviceId: service_id, sequence } = position;
  return {
    number,
    key: { service_id, host, port },
    before: { status, statusReason: status_reason },
    after: { status: change.status, statusReason: change.reason },
    sequence,
  };
}

function hasStatus(report: DeskRow, { status, reason, note }: StatusChangeRequest): boolean {
  return (
    report.status === status &&
    report.status_reason === (reason ?? null) &&
    report.status_note === (note ?? null)
  );
}

interface StatusUpdate {
  readonly report: WithJudgement<WithNewRoute<DeskRow>>;
  readonly change: StatusChangeRequest;
  readonly position: FeedPosition;
}

interface FirstAnswers {
  readonly acted?: Answer;
  readonly acknowledged?: Answer;
}

/** Returns the first answer and the first final answer, if this is one. */
function countChange(
  { report, change, position }: StatusUpdate,
  counts: StatisticCounts,
): FirstAnswers {
  const { serviceId } = position;
  const {
    status: before,
    acted_at,
    acknowledged_at,
    reported_at,
    newJudgement: judgement,
  } = report;
  const { status, reason = null } = change;
  const at = change.at.toISOString();
  const after = { status, status_reason: reason, judgement };
  counts.changeStatus(serviceId, report.reporter_id, report, after);
  if (before === status) return {};
  countRoute(counts, position, report);
  counts.addStatusSet(serviceId, status, at);
  if (report.isSelf) return {};
  const answer = answerOf(reported_at, at);
  // The first answer may be older than its column.
  const isActed = acted_at === null && isAnswer(status) && !isAnswer(before);
  const isAcknowledged =
    acknowledged_at === null && isAcknowledgement(status) && !isAcknowledgement(before);
  if (isActed) counts.addAnswer(serviceId, answer);
  if (isAcknowledged) counts.addAcknowledgement(serviceId, answer);
  return { ...(isActed && { acted: answer }), ...(isAcknowledged && { acknowledged: answer }) };
}

function* changeStatus(
  { report, change, position }: StatusUpdate,
  { acted, acknowledged }: FirstAnswers,
): UnitOfWork<StatusChangeRow> {
  const at = change.at.toISOString();
  const { sequence } = position;
  const values = {
    status: change.status,
    status_reason: change.reason ?? null,
    status_note: change.note ?? null,
    status_by: change.actor,
    sequence,
  };
  yield* rows(setReport, {
    id: report.id,
    serviceId: position.serviceId,
    ...values,
    expires_at: expiryOf({ report, change, position }),
    updated_at: at,
    added_at: position.addedAt,
    routed_to: report.newRoute,
    acted_at: acted?.at ?? report.acted_at,
    acted_bucket: acted?.bucket ?? report.acted_bucket,
    acknowledged_at: acknowledged?.at ?? report.acknowledged_at,
    acknowledged_bucket: acknowledged?.bucket ?? report.acknowledged_bucket,
    judgement: report.newJudgement,
  });
  yield* appendEvent(position, { type: 'updated', reportId: report.id, at });
  return {
    number: report.number,
    at,
    ...values,
    is_repeat: Number(report.status === change.status),
    is_self: Number(report.isSelf),
  };
}

/** A reopened report gets a full period; its old expiry may have passed already. */
function expiryOf({ report, change, position }: StatusUpdate): string {
  return isReopened(report.status, change.status)
    ? expiryAfter(change.at, position.expireAfterDays).toISOString()
    : report.expires_at;
}
