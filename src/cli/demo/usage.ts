import { DAY_MS, HOUR_MS } from '../../domain/duration.ts';
import { Problem } from '../../domain/problem.ts';
import { findSimilar } from '../../operations/samples/find-similar.ts';
import { lookUpSample } from '../../operations/samples/look-up-sample.ts';
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

/** So many of the lookups of the last days are single ones, and a search for similar files. */
const SINGLE = 3;
const SINGLE_DAYS = 14;

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
      const single = daysAgo < SINGLE_DAYS ? texts.splice(0, SINGLE) : [];
      return {
        at,
        run: async (deps) => {
          await spend(deps, history, name, texts);
          await spendOneByOne(deps, history, name, single);
        },
      } satisfies Step;
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

async function spendOneByOne(
  deps: Parameters<Step['run']>[0],
  history: DemoHistory,
  name: string,
  texts: readonly string[],
): Promise<void> {
  const caller = await history.caller(deps, name);
  for (const [index, text] of texts.entries()) {
    const spent =
      index === 0
        ? findSimilar(deps, caller, text)
        : lookUpSample(deps, caller, text, async () => undefined);
    // A file whose analysis is imported later is a miss, which costs the same.
    await spent.catch((cause: unknown) => {
      if (!(cause instanceof Problem)) throw cause;
    });
  }
}
