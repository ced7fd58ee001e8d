import type { Config } from '../config.ts';
import { USAGE_DAYS } from '../domain/accounts/usage.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../domain/duration.ts';
import { PROPOSALS_KEPT_DAYS } from '../domain/proposals/proposal.ts';
import { RETRY_KEY_VALID_MS } from '../domain/reports/retry-key.ts';
import { firstDay } from '../domain/utc-days.ts';
import type { TokenUsage } from '../http/gate/token-usage.ts';
import type { WorkWatch } from '../jobs/work-watch.ts';
import type { Log } from '../observability/log.ts';
import type { Dependencies } from '../operations/dependencies.ts';
import type { OwnershipDependencies } from '../operations/ownership/ownership-dependencies.ts';
import { recheckProofs } from '../operations/ownership/recheck-proofs.ts';
import { stampChangedFeeds } from '../operations/reports/misp-feed.ts';
import { queueReanalyses } from '../operations/samples/reanalyse.ts';
import type { Store } from '../ports/store.ts';
import { type HousekeepingTask, startTask, type TrustedTime } from './housekeeping-task.ts';

const TOKEN_USES_INTERVAL_MS = MINUTE_MS;
const SWEEP_INTERVAL_MS = HOUR_MS;
const CLOCK_CHECK_MS = 30_000;
/** Twice the time that TAXII recommends. */
const SUBMISSIONS_KEPT_MS = 2 * DAY_MS;
const PROPOSALS_KEPT_MS = PROPOSALS_KEPT_DAYS * DAY_MS;
/** A browser with a session that expired recently is told so, and not counted as a bad token. */
const EXPIRED_SESSIONS_KEPT_MS = DAY_MS;
/**
 * Rows of a slice. The commit of a slice blocks the event loop, and indexing a row is expensive.
 */
const INDEX_SLICE = 5;
const SMALL_SLICE = 100;
/** Takes some 3 ms on SQLite. */
const LARGE_SLICE = 500;

interface HousekeepingDependencies
  extends Pick<Dependencies, 'store' | 'files' | 'analysisEvents'>,
    OwnershipDependencies {
  readonly trustedTime: TrustedTime;
  readonly tokenUsage: TokenUsage;
  readonly log: Log;
  readonly watch: Pick<WorkWatch, 'on'>;
}

/** Starts all background work. The returned function stops it and writes the last token uses. */
export function startHousekeeping(
  config: Config,
  deps: HousekeepingDependencies,
): () => Promise<void> {
  const { store, files, trustedTime, tokenUsage, log } = deps;
  const stopping = new AbortController();
  const logFailure = (work: () => Promise<void>) => () =>
    work().catch((err: unknown) => log.error({ err }, 'housekeeping failed'));
  const writeTokenUses = logFailure(() => tokenUsage.write(store.tokens));
  const sweepFiles = logFailure(async () => {
    if ((await trustedTime()) !== undefined) await files.sweep();
  });
  const timers = [
    setInterval(writeTokenUses, TOKEN_USES_INTERVAL_MS),
    setInterval(sweepFiles, SWEEP_INTERVAL_MS),
  ];
  for (const timer of timers) timer.unref();
  void sweepFiles();
  const recheck: HousekeepingTask = {
    name: 'checking proofs of ownership',
    runSlice: (now) => recheckProofs(deps, now, stopping.signal),
    trigger: { everyMs: MINUTE_MS },
  };
  const reanalyse: HousekeepingTask = {
    name: 'queueing files to be analysed again',
    runSlice: (now) => queueReanalyses(deps, now),
    trigger: { pending: 'reanalysis' },
  };
  // Other tasks check it only if they have work, but the log and the metrics show a wrong clock.
  const checkClock: HousekeepingTask = {
    name: 'checking the clock',
    runSlice: async () => 0,
    trigger: { everyMs: CLOCK_CHECK_MS },
  };
  const tasks = [...housekeepingTasks(config, store), recheck, reanalyse, checkClock];
  const stopTasks = tasks.map((task) => startTask(task, deps));
  return async () => {
    stopping.abort();
    for (const stopTask of stopTasks) stopTask();
    for (const timer of timers) clearInterval(timer);
    await writeTokenUses();
  };
}

function housekeepingTasks({ changesKeptDays }: Config, store: Store): readonly HousekeepingTask[] {
  const before = (now: Date, ageMs: number) => new Date(now.getTime() - ageMs);
  const changesKeptMs = changesKeptDays * DAY_MS;
  return [
    {
      // Analysis reports that were imported, or stored before the index existed.
      name: 'indexing similar files',
      runSlice: () => store.samples.indexSimilar(INDEX_SLICE),
      trigger: { pending: 'similar' },
    },
    {
      name: 'indexing old reports for the search',
      runSlice: () => store.search.backfill(INDEX_SLICE),
      trigger: { pending: 'backFills' },
    },
    {
      name: 'indexing hosts and networks of services',
      runSlice: () => store.services.indexPatterns(INDEX_SLICE),
      trigger: { pending: 'backFills' },
    },
    {
      name: 'counting old reports',
      runSlice: () => store.feeds.fillStatistics(SMALL_SLICE),
      trigger: { pending: 'backFills' },
    },
    {
      name: 'updating reports after analyses',
      runSlice: (now) => store.feeds.reevaluatePending(now, SMALL_SLICE),
      trigger: { pending: 'updates' },
    },
    {
      // The first ones are changed with the answer of the desk.
      name: 'changing reports of rejected C2s',
      runSlice: (now) => store.feeds.changeRejectedReports(now, SMALL_SLICE),
      trigger: { pending: 'rejections' },
    },
    {
      // Reports of an older version, and open ones after a service has changed its hosts.
      name: 'confirming and routing old reports',
      runSlice: (now) => store.feeds.reevaluateOld(now, SMALL_SLICE),
      trigger: { pending: 'backFills' },
    },
    {
      name: 'expiring reports',
      runSlice: (now) => store.feeds.expire(now, SMALL_SLICE),
      trigger: { pending: 'expiries' },
    },
    {
      // Each manifest does the same for its feed.
      name: 'stamping the events of MISP feeds',
      runSlice: (now) => stampChangedFeeds({ store, now: () => now }),
      trigger: { everyMs: MINUTE_MS },
    },
    {
      name: 'deleting unused positions',
      runSlice: (now) => store.feeds.deleteUnusedPositions(before(now, changesKeptMs), SMALL_SLICE),
      trigger: { everyMs: HOUR_MS },
    },
    {
      name: 'deleting old changes',
      runSlice: (now) => store.feeds.deleteOldChanges(before(now, changesKeptMs), LARGE_SLICE),
      trigger: { everyMs: HOUR_MS },
    },
    {
      name: 'deleting the units of old days',
      runSlice: (now) => store.accounts.deleteOldDays(firstDay(now, USAGE_DAYS), LARGE_SLICE),
      trigger: { everyMs: HOUR_MS },
    },
    {
      name: 'deleting old retry keys',
      runSlice: (now) =>
        store.reports.deleteOldRetryKeys(before(now, RETRY_KEY_VALID_MS), LARGE_SLICE),
      trigger: { everyMs: HOUR_MS },
    },
    {
      name: 'deleting the status of old submissions',
      runSlice: (now) => store.submissions.deleteOld(before(now, SUBMISSIONS_KEPT_MS), SMALL_SLICE),
      trigger: { everyMs: HOUR_MS },
    },
    {
      name: 'deleting old proposals',
      runSlice: (now) => store.proposals.deleteOld(before(now, PROPOSALS_KEPT_MS), LARGE_SLICE),
      trigger: { everyMs: HOUR_MS },
    },
    {
      name: 'deleting expired sessions and sign-in links',
      runSlice: (now) =>
        store.sessions.deleteExpired(before(now, EXPIRED_SESSIONS_KEPT_MS), SMALL_SLICE),
      trigger: { everyMs: HOUR_MS },
    },
  ];
}
