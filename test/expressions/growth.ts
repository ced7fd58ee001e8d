import type { Diagnostics } from 'recheck';
import type { Expression } from './find.ts';

/** The time limit for one expression; most take a few milliseconds. */
const TIMEOUT_MS = 180_000;
/** Repeats with a smaller bound are not checked as unbounded. */
const LARGE_BOUND = 8;
/** Only with one of these can repeats be nested. */
const REPEATED_GROUP = /\)[*+{]/;
const BOUND = /\\.|\[(?:\\.|[^\]\\])*\]|\{(\d+)(,)?(\d*)\}/gs;

/**
 * Returns how the time of an expression grows with the length of hostile text, or `undefined` if it
 * is linear.
 *
 * A bounded repeat (`\s{0,16}`) multiplies the time by a constant, so the first check reduces all
 * bounds to two; automata of the real size take minutes to compare. Nested bounded repeats behave
 * like unbounded ones (`(?:\w{1,64}-?){1,64}$`), so the second check removes the bounds and tests
 * for exponential time.
 */
export async function superlinearGrowth({
  source,
  flags,
}: Expression): Promise<string | undefined> {
  const reduced = source.replace(BOUND, smallBound);
  const exact = await growthOf(reduced, flags);
  if (exact !== undefined) return exact;
  if (!REPEATED_GROUP.test(source)) return undefined;
  const wide = await growthOf(source.replace(BOUND, withoutBound), flags);
  return wide?.includes('exponential') ? `${wide} but for its bounds` : undefined;
}

async function growthOf(source: string, flags: string): Promise<string | undefined> {
  const { checkSync } = await loadChecker();
  const found: Diagnostics = checkSync(source, flags, {
    // The fuzz checker is random, and its results vary.
    checker: 'automaton',
    timeout: TIMEOUT_MS,
  });
  if (found.status === 'safe') return undefined;
  return found.status === 'vulnerable'
    ? `${found.complexity.summary}, as for ${found.attack.pattern}`
    : `unknown (${found.error.kind})`;
}

/** Loads the JavaScript build; the others need a native program or Java. */
async function loadChecker(): Promise<Pick<typeof import('recheck'), 'checkSync'>> {
  process.env['RECHECK_BACKEND'] = 'pure';
  return await import('recheck');
}

type Bound = [found: string, min?: string, comma?: string, max?: string];

function smallBound(...[found, min, comma, max]: Bound): string {
  if (min === undefined) return found;
  const low = Math.min(Number(min), comma === undefined ? 2 : 1);
  if (comma === undefined) return `{${low}}`;
  return max === '' ? `{${low},}` : `{${low},${Math.min(Number(max), 2)}}`;
}

function withoutBound(...[found, min, comma, max]: Bound): string {
  const isLarge = comma !== undefined && max !== '' && Number(max) >= LARGE_BOUND;
  return isLarge ? `{${Math.min(Number(min), 1)},}` : smallBound(found, min, comma, max);
}
