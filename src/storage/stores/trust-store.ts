import type { TrustStore } from '../../ports/trust-store.ts';
import { countedFrom } from '../tables/statistics/fill-statistics.ts';
import { readReporter, readScorecard } from '../tables/statistics/read-trust.ts';
import { restartCounting } from '../tables/statistics/restart-counting.ts';
import type { Runner } from '../units/runner.ts';

export function createTrustStore(runner: Runner): TrustStore {
  return {
    reporter: (name) => runner.read(() => readReporter(name)),
    service: (slug, from) => runner.read(() => readScorecard(slug, from)),
    restartCounting: () => runner.write(() => restartCounting()),
    countedFrom: () => runner.read(() => countedFrom()),
  };
}
