import { DAY_MS, HOUR_MS } from '../../domain/duration.ts';
import { lookUpSamples } from '../../operations/samples/look-up-samples.ts';
import { DEMO_DAYS } from './calendar.ts';
import type { DemoHistory, Step } from './history.ts';
import type { SeededRandom } from './random.ts';

/** Lookups of each account on an ordinary day. */
const LOOKUPS: Readonly<Record<string, number>> = {
  alice: 22,
  bruno: 14,
  chiyo: 35,
  dmitri: 6,
  soc: 15,
};

/** Spends the lookups of each day. */
export function usageSteps(
  random: SeededRandom,
  history: DemoHistory,
  { hashes, now }: { readonly hashes: readonly string[]; readonly now: number },
): Step[] {
  return Array.from({ length: DEMO_DAYS }, (_, daysAgo) => daysAgo).flatMap((daysAgo) => {
    const at = now - daysAgo * DAY_MS - HOUR_MS * random.next();
    const share = [0, 6].includes(new Date(at).getUTCDay()) ? 0.25 : 1;
    return Object.entries(LOOKUPS).map(([name, usual]) => {
      const count = Math.round(usual * share * (0.5 + random.next()));
      const texts = Array.from({ length: count }, () => random.pick(hashes));
      return { at, run: async (deps) => spend(deps, history, name, texts) } satisfies Step;
    });
  });
}

async function spend(
  deps: Parameters<Step['run']>[0],
  history: DemoHistory,
  name: string,
  texts: readonly string[],
): Promise<void> {
  if (texts.length > 0) await lookUpSamples(deps, await history.caller(deps, name), texts);
}
