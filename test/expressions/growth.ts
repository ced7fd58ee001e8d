import type { Diagnostics } from 'recheck';
import type { Expression } from './find.ts';

/** For one expression. Nearly all take a few milliseconds. */
const TIMEOUT_MS = 180_000;
/** A repeat that is bounded by less is not worth looking at as if it had no bound. */
const LARGE_BOUND = 8;
/** Only with one of these can repeats be nested. */
const REPEATED_GROUP = /\)[*+{]/;
const BOUND = /\\.|\[(?:\\.|[^\]\\])*\]|\{(\d+)(,)?(\d*)\}/gs;

/**
 * How the time that an expression takes grows with the length of hostile text, where it grows
 * faster than that length: `undefined` for one that is linear.
 *
 * A repeat with a bound (`\s{0,16}`) multiplies the time by a constant, so the first question is
 * asked with all bounds cut down to two; automata of the true size would take minutes to compare.
 * Nested, such repeats are as bad as repeats without bounds (`(?:\w{1,64}-?){1,64}$`). So the
 * second question is whether the expression is exponential with no bound at all.
 */
export async function superlinearGrowth({
  source,
  flags,
}: Expression): Promise<string | undefined> {
  const withSmall = source.replace(BOUND, smallBound);
  const exact = await growthOf(withSmall, flags);
  if (exact !== undefined) return exact;
  if (!REPEATED_GROUP.test(source)) return undefined;
  const wide = await growthOf(source.replace(BOUND, withoutBound), flags);
  return wide?.includes('exponential') ? `${wide} but for its bounds` : undefined;
}

async function growthOf(source: string, flags: string): Promise<string | undefined> {
  const { checkSync } = await loadChecker();
  const found: Diagnostics = checkSync(source, flags, {
    // The other one throws dice, and finds now this and now that.
    checker: 'automaton',
    timeout: TIMEOUT_MS,
  });
  if (found.status === 'safe') return undefined;
  return found.status === 'vulnerable'
    ? `${found.complexity.summary}, as for ${found.attack.pattern}`
    : `unknown (${found.error.kind})`;
}

/**
 * The build in JavaScript, which every machine can run: the others are a program and a Java
 * archive.
 */
async function loadChecker(): Promise<Pick<typeof import('recheck'), 'checkSync'>> {
  process.env['RECHECK_BACKEND'] = 'pure';
  return await import('recheck');
}

type Bound = [found: string, least?: string, comma?: string, most?: string];

function smallBound(...[found, least, comma, most]: Bound): string {
  if (least === undefined) return found;
  const low = Math.min(Number(least), comma === undefined ? 2 : 1);
  if (comma === undefined) return `{${low}}`;
  return most === '' ? `{${low},}` : `{${low},${Math.min(Number(most), 2)}}`;
}

function withoutBound(...[found, least, comma, most]: Bound): string {
  const isLarge = comma !== undefined && most !== '' && Number(most) >= LARGE_BOUND;
  return isLarge ? `{${Math.min(Number(least), 1)},}` : smallBound(found, least, comma, most);
}
