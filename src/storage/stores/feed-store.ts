import { randomBytes } from 'node:crypto';
import { objectNamespace } from '../../domain/object-namespace.ts';
import type { FeedStore } from '../../ports/feed-store.ts';
import type { CreateOutcome, NewReport } from '../../ports/report-store.ts';
import type { Serializers } from '../../ports/store.ts';
import {
  deleteUnusedPositions,
  findPositions,
  latestPositions,
  storePositions,
  touchPositions,
} from '../tables/feeds/stored-positions.ts';
import {
  findNamespace,
  findSecret,
  storeNamespaceIfAbsent,
  storeSecretIfAbsent,
} from '../tables/installation/installation.ts';
import {
  headsOf,
  listChangeRecords,
  listChanges,
  withReports,
} from '../tables/reports/changes/changes.ts';
import { deleteOldChanges } from '../tables/reports/changes/delete-old-changes.ts';
import { countReports } from '../tables/reports/listing/count-reports.ts';
import { listNumbers, listReports } from '../tables/reports/listing/list-reports.ts';
import { exportedByNumber } from '../tables/reports/published/exported-reports.ts';
import { reportsByNumber } from '../tables/reports/serialized-reports.ts';
import { fillStatistics } from '../tables/statistics/fill-statistics.ts';
import { readOpenReports, readStatistics } from '../tables/statistics/read-statistics.ts';
import { expireReports } from '../transactions/reports/expire-reports.ts';
import { changePendingReports } from '../transactions/reports/judge-c2s.ts';
import { reevaluateOld } from '../transactions/reports/reevaluate-old.ts';
import { reevaluatePending } from '../transactions/reports/reevaluate-reports.ts';
import { setStatus } from '../transactions/reports/set-status.ts';
import type { BatchUnit, Runner } from '../units/runner.ts';
import { createDeclaredHosts } from './declared-hosts.ts';
import { createFeedStates } from './feed-states.ts';

const SECRET_BYTES = 32;

export function createFeedStore(
  runner: Runner,
  createAll: BatchUnit<NewReport, CreateOutcome>,
  serializers: Serializers,
): FeedStore {
  const { secret, objectNamespace } = createConstants(runner);
  return {
    list: (query, present) => runner.read(() => listReports(query, present)),
    listNumbers: (query) => runner.read(() => listNumbers(query)),
    reportsByNumber: (numbers) => runner.read(() => reportsByNumber(numbers)),
    exportedByNumber: (numbers) => runner.read(() => exportedByNumber(numbers)),
    count: (scope, filter) => countReports(runner, scope, filter),
    statistics: (scope, from) => runner.read(() => readStatistics(scope, from)),
    openReports: (services) => runner.read(() => readOpenReports(services)),
    fillStatistics: (limit) => runner.write(() => fillStatistics(limit)),
    changes: (query, present) => runner.read(() => listChanges(query, present)),
    changeRecords: (query) => runner.read(() => listChangeRecords(query)),
    withReports: (records) => runner.read(() => withReports(records)),
    heads: (scope) => runner.read(() => headsOf(scope)),
    states: createFeedStates(runner),
    declaredHosts: createDeclaredHosts(runner),
    createMany: (reports) => runner.write(() => createAll(reports)),
    setStatus: (target, change) => runner.write(() => setStatus(target, change)),
    expire: (now, limit) => runner.write(() => expireReports(now, limit)),
    reevaluatePending: (at, limit) => runner.write(() => reevaluatePending(at, limit, serializers)),
    changeRejectedReports: (at, limit) => runner.write(() => changePendingReports(at, limit)),
    reevaluateOld: (at, limit) => runner.write(() => reevaluateOld(at, limit, serializers)),
    deleteOldChanges: (before, limit) => runner.write(() => deleteOldChanges(before, limit)),
    findPositions: (digest, now) => usePositions(runner, digest, now),
    latestPositions: (since) => runner.read(() => latestPositions(since)),
    storePositions: (positions, now) => runner.write(() => storePositions(positions, now)),
    deleteUnusedPositions: (before, limit) =>
      runner.write(() => deleteUnusedPositions(before, limit)),
    secret,
    objectNamespace,
    onChange: (listener) => runner.onChange(listener),
  };
}

/** Values of the installation that never change once they are generated. */
function createConstants(runner: Runner): Pick<FeedStore, 'secret' | 'objectNamespace'> {
  let knownSecret: Uint8Array | undefined;
  let namespace: string | undefined;
  const secret = async () => {
    knownSecret ??=
      (await runner.read(findSecret)) ??
      (await runner.write(() => storeSecretIfAbsent(randomBytes(SECRET_BYTES))));
    return knownSecret;
  };
  return {
    secret,
    objectNamespace: async () => {
      namespace ??= await runner.read(findNamespace);
      if (namespace !== undefined) return namespace;
      const derived = objectNamespace(await secret());
      namespace = await runner.write(() => storeNamespaceIfAbsent(derived));
      return namespace;
    },
  };
}

/** Records the use from time to time, so that housekeeping keeps positions that are in use. */
async function usePositions(runner: Runner, digest: string, now: Date) {
  const found = await runner.read(() => findPositions(digest, now));
  if (found?.isTouchDue) await runner.write(() => touchPositions(digest, now));
  return found?.base;
}
