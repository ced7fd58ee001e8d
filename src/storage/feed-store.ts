import { randomBytes } from 'node:crypto';
import type { FeedStore } from '../ports/feed-store.ts';
import type { Created, NewReport } from '../ports/report-store.ts';
import type { Serializers } from '../ports/store.ts';
import {
  forgetChanges,
  headsOf,
  listAllChanges,
  listSteps,
  withReports,
} from './sql/feeds/changes.ts';
import {
  findPositions,
  forgetPositions,
  keepPositions,
  latestPositions,
  touchPositions,
} from './sql/feeds/stored-positions.ts';
import { findSecret, keepSecret } from './sql/installation.ts';
import { countReports } from './sql/listing/count-reports.ts';
import { listNumbers, listReports } from './sql/listing/list-reports.ts';
import { setStatus } from './sql/reports/desk.ts';
import { expireReports } from './sql/reports/expiry.ts';
import { renamePending } from './sql/reports/rename-reports.ts';
import { reportsByNumber } from './sql/reports/report-rows.ts';
import type { BatchUnit, Runner } from './unit-of-work.ts';

const SECRET_BYTES = 32;

/** The part of the store that reads feeds and works on them. */
export function createFeedStore(
  runner: Runner,
  createAll: BatchUnit<NewReport, Created>,
  serializers: Serializers,
): FeedStore {
  return {
    list: (asked) => runner.batchRead(listReports, asked),
    listNumbers: (asked) => runner.read(() => listNumbers(asked)),
    reportsByNumber: (numbers) => runner.read(() => reportsByNumber(numbers)),
    count: (scope, filter) => countReports(runner, scope, filter),
    changes: (asked) => runner.batchRead(listAllChanges, asked),
    changeSteps: (asked) => runner.read(() => listSteps(asked)),
    withReports: (steps) => runner.read(() => withReports(steps)),
    heads: (scope) => runner.read(() => headsOf(scope)),
    createMany: (reports) => runner.write(() => createAll(reports)),
    setStatus: (target, audit) => runner.write(() => setStatus(target, audit)),
    expire: (now, limit) => runner.write(() => expireReports(now, limit)),
    renamePending: (at, limit) => runner.write(() => renamePending(at, limit, serializers)),
    forgetChanges: (before, limit) => runner.write(() => forgetChanges(before, limit)),
    findPositions: (digest, now) => useStored(runner, digest, now),
    latestPositions: (since) => runner.read(() => latestPositions(since)),
    keepPositions: (positions, now) => runner.write(() => keepPositions(positions, now)),
    forgetPositions: (before, limit) => runner.write(() => forgetPositions(before, limit)),
    secret: async () =>
      (await runner.read(findSecret)) ??
      (await runner.write(() => keepSecret(randomBytes(SECRET_BYTES)))),
    onChange: (listener) => runner.onChange(listener),
  };
}

/** Notes now and then that they are still in use, so that they are not forgotten. */
async function useStored(runner: Runner, digest: string, now: Date) {
  const found = await runner.read(() => findPositions(digest, now));
  if (found?.isDue) await runner.write(() => touchPositions(digest, now));
  return found?.base;
}
