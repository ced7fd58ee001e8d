import type { TrustStore } from '../ports/trust-store.ts';
import { countedFrom } from './sql/statistics/fill-statistics.ts';
import { readReporter, readScorecard } from './sql/statistics/read-trust.ts';
import { restartCounting } from './sql/statistics/restart-counting.ts';
import type { Runner } from './unit-of-work.ts';

export function createTrustStore(runner: Runner): TrustStore {
  return {
    reporter: (name) => runner.read(() => readReporter(name)),
    service: (slug, from) => runner.read(() => readScorecard(slug, from)),
    restartCounting: () => runner.write(() => restartCounting()),
    countedFrom: () => runner.read(() => countedFrom()),
  };
}
