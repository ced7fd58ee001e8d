import type { MispStore } from '../../ports/misp-store.ts';
import { pageOfEvent } from '../tables/reports/published/event-reports.ts';
import {
  findEvent,
  lastStamp,
  pageOfEvents,
  versionOf,
} from '../tables/reports/published/misp-events.ts';
import { changedFeeds, isBehind, stampEvents } from '../tables/reports/published/stamps.ts';
import type { Runner } from '../units/runner.ts';

export function createMispStore(runner: Runner): MispStore {
  return {
    changedFeeds: () => runner.read(() => changedFeeds()),
    stampEvents: async (service, request) =>
      (await runner.read(() => isBehind(service)))
        ? await runner.write(() => stampEvents(service, request))
        : 0,
    lastStamp: () => runner.read(() => lastStamp()),
    version: (scope) => runner.read(() => versionOf(scope)),
    events: (scope, after, limit) => runner.read(() => pageOfEvents(scope, after, limit)),
    find: (scope, id) => runner.read(() => findEvent(scope, id)),
    reports: ({ id }, after, limit) => runner.read(() => pageOfEvent({ id, after, limit })),
  };
}
