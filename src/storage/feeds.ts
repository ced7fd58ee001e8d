import { randomBytes } from 'node:crypto';
import type { FeedStore } from '../ports/feed-store.ts';
import type { Created, NewReport } from '../ports/report-store.ts';
import { forgetChanges, headsOf, listAllChanges } from './sql/changes.ts';
import { countReports } from './sql/count-reports.ts';
import { setStatus } from './sql/desk.ts';
import { expireReports } from './sql/expiry.ts';
import { findSecret, keepSecret } from './sql/installation.ts';
import { listReports } from './sql/list.ts';
import type { Runner, UnitOfMany } from './unit-of-work.ts';

const SECRET_BYTES = 32;

/** The part of the store that reads feeds and works on them. */
export function feedsOver(runner: Runner, createAll: UnitOfMany<NewReport, Created>): FeedStore {
  return {
    list: (asked) => runner.gatherRead(listReports, asked),
    count: (scope, filter) => countReports(runner, scope, filter),
    changes: (asked) => runner.gatherRead(listAllChanges, asked),
    heads: (scope) => runner.read(() => headsOf(scope)),
    createMany: (reports) => runner.write(() => createAll(reports)),
    setStatus: (target, act) => runner.write(() => setStatus(target, act)),
    expire: (now, limit) => runner.write(() => expireReports(now, limit)),
    forgetChanges: (before, limit) => runner.write(() => forgetChanges(before, limit)),
    secret: async () =>
      (await runner.read(findSecret)) ??
      (await runner.write(() => keepSecret(randomBytes(SECRET_BYTES)))),
    onChange: (listener) => runner.onChange(listener),
  };
}
