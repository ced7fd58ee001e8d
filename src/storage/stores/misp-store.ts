import type { MispStore } from '../../ports/misp-store.ts';
import { pageOfDay } from '../tables/reports/published/day-pages.ts';
import { changedFeeds, daysOf, isBehind, stampDays } from '../tables/reports/published/stamps.ts';
import type { Runner } from '../units/runner.ts';

export function createMispStore(runner: Runner): MispStore {
  return {
    changedFeeds: () => runner.read(() => changedFeeds()),
    stampDays: async (service, now, limit) =>
      (await runner.read(() => isBehind(service)))
        ? await runner.write(() => stampDays(service, now, limit))
        : 0,
    days: (service) => runner.read(() => daysOf(service)),
    pageOfDay: (slug, day, after, limit) =>
      runner.read(() => pageOfDay({ slug, day, after, limit })),
  };
}
