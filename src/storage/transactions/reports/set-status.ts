import {
  decideStatus,
  isReopened,
  type StatusFacts,
} from '../../../domain/reports/decide-status.ts';
import { isMisrouted } from '../../../domain/reports/report.ts';
import type {
  StatusChangeRequest,
  StatusOutcome,
  StatusTarget,
} from '../../../ports/feed-store.ts';
import { checkRights, lockOwnFeed } from '../../tables/accounts/permission.ts';
import { type FeedPosition, SequenceAllocator } from '../../tables/feeds/sequences.ts';
import {
  type FoundReport,
  findTargets,
  type StatusUpdate,
  writeStatuses,
} from '../../tables/reports/desk-reports.ts';
import { routesOf } from '../../tables/services/routes.ts';
import { StatisticCounts } from '../../tables/statistics/counters.ts';
import { countedReports } from '../../tables/statistics/fill-statistics.ts';
import { FeedOwners } from '../../tables/statistics/judgements.ts';
import { writeAudit } from '../../units/audit.ts';
import { lockRoutes } from '../../units/locks.ts';
import { inParallel, row, type UnitOfWork } from '../../units/unit-of-work.ts';
import { appendEvents, type PositionedEvent } from './append-events.ts';
import { type JudgedReport, judgeC2s } from './judge-c2s.ts';

/** The right is checked again for every slice of a long change. */
export function* setStatus(
  target: StatusTarget,
  change: StatusChangeRequest,
): UnitOfWork<StatusOutcome | 'forbidden' | 'token-ended'> {
  const { service } = target;
  const { accountId, tokenId, at } = change;
  const by = tokenId === undefined ? undefined : { accountId, tokenId };
  if (by !== undefined && (yield* checkRights(by, { now: at })) !== undefined) return 'token-ended';
  const { feed } = yield* inParallel({
    routes: lockRoutes({ isShared: true }),
    feed: row(lockOwnFeed, { slug: service, accountId }),
  });
  if (feed === undefined) return 'forbidden';
  const { found, absent, next } = yield* findTargets(target, feed.id);
  const known = yield* withFacts(found, change, feed);

  const decided = known.flatMap(({ report, facts }) => {
    const decision = decideStatus(report.before, change, facts);
    return decision === undefined ? [] : { ...report, ...decision, facts };
  });

  const sequences = new SequenceAllocator([], at);
  const updates = yield* withPositions(service, decided, sequences);
  yield* writeStatuses(updates, change);
  yield* appendEvents(updates.map((update) => toEvent(update, at)));
  yield* judgeC2s(service, updates.map(toJudged), sequences, at);
  yield* sequences.releaseUnused();
  if (updates.length > 0) yield* recordStatus(target, change, updates);
  yield* countStatuses(updates);
  return { changed: updates.length, absent, next };
}

interface KnownReport {
  readonly report: FoundReport;
  readonly facts: StatusFacts;
}

function* withFacts(
  found: readonly FoundReport[],
  { status, at }: StatusChangeRequest,
  feed: { readonly id: number; readonly expireAfterDays: number },
): UnitOfWork<readonly KnownReport[]> {
  const reopened = found.filter(({ before }) => isReopened(before.status, status));
  const ofFeed = ({ reporterId }: FoundReport) => ({
    reporter_id: reporterId,
    service_id: feed.id,
  });
  const { routes, owners, isCounted } = yield* inParallel({
    routes: routesOf(reopened.map(({ host }) => host)),
    owners: FeedOwners.among(found.map(ofFeed)),
    isCounted: countedReports(),
  });
  return found.map((report) => ({
    report,
    facts: {
      at,
      isSelf: owners.ownsFeed(ofFeed(report)),
      route: routes.get(report.host)?.service,
      expireAfterDays: feed.expireAfterDays,
      isCounted: isCounted(report.number),
    },
  }));
}

interface PositionedUpdate extends StatusUpdate {
  readonly position: FeedPosition;
}

function* withPositions(
  service: string,
  decided: readonly Omit<StatusUpdate, 'position'>[],
  sequences: SequenceAllocator,
): UnitOfWork<readonly PositionedUpdate[]> {
  sequences.expect(service, decided.length);
  const updates: PositionedUpdate[] = [];
  for (const update of decided) {
    // The feed exists: it is locked.
    const position = (yield* sequences.take(service)) as FeedPosition;
    updates.push({ ...update, position });
  }
  return updates;
}

function toEvent({ id, position }: PositionedUpdate, at: Date): PositionedEvent {
  return { position, event: { type: 'updated', reportId: id, at: at.toISOString() } };
}

function toJudged({ number, host, port, before, after, position }: PositionedUpdate): JudgedReport {
  const { serviceId: service_id, sequence } = position;
  return { number, key: { service_id, host, port }, before, after, sequence };
}

/**
 * Writes one entry for all reports of the transaction, so that bulk changes do not flood the log.
 */
function* recordStatus(
  { service, ids, filter }: StatusTarget,
  { actor, at, status, reason }: StatusChangeRequest,
  updates: readonly PositionedUpdate[],
): UnitOfWork<void> {
  const [only] = updates;
  const isOne = ids?.length === 1 && only !== undefined;
  yield* writeAudit({ actor, at }, 'report.status', isOne ? only.id : service, {
    service,
    status,
    ...(reason !== undefined && { reason }),
    changed: updates.length,
    ...(ids === undefined && { filter }),
  });
}

function* countStatuses(updates: readonly PositionedUpdate[]): UnitOfWork<void> {
  const counts = new StatisticCounts();
  for (const update of updates) if (update.facts.isCounted) countStatus(update, counts);
  yield* counts.write();
}

function countStatus(
  { reporterId, before, after, isRepeat, facts, position }: PositionedUpdate,
  counts: StatisticCounts,
): void {
  const { service, serviceId } = position;
  counts.changeStatus(serviceId, reporterId, before, after);
  if (isRepeat) return;
  counts.changeMisrouted(
    serviceId,
    isMisrouted({ service, routedTo: before.routedTo }),
    isMisrouted({ service, routedTo: after.routedTo }),
  );
  counts.addStatusSet(serviceId, after.status, facts.at.toISOString());
  if (before.acted === undefined && after.acted !== undefined)
    counts.addAnswer(serviceId, after.acted);
  if (before.acknowledged === undefined && after.acknowledged !== undefined)
    counts.addAcknowledgement(serviceId, after.acknowledged);
}
