/**
 * Long runs of base64 or hexadecimal digits in bytes of any kind, one byte to a sign or two (UTF-16LE, as the literals
 * of .NET programs are). Line ends count as part of a run.
 */
export interface EncodedRun {
  readonly start: number;
  /** Just behind the last byte. */
  readonly end: number;
  readonly isWide: boolean;
}

/** Shorter ones are keys, hashes and names; no program fits into them. */
export const MIN_SIGNS = 256;

const SIGNS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=\r\n';
const IS_SIGN = new Uint8Array(256);
for (const sign of SIGNS) IS_SIGN[sign.charCodeAt(0)] = 1;

/**
 * No run begins before `at`, so one that is long enough covers the place so many signs behind it: of bytes that are
 * something else only few are looked at.
 */
export function* encodedRuns(bytes: Buffer): Generator<EncodedRun> {
  let at = 0;
  while (at + MIN_SIGNS <= bytes.length) {
    const probe = at + MIN_SIGNS - 1;
    const sign = signNear(bytes, probe);
    const run = sign === undefined ? undefined : runAround(bytes, sign, at);
    if (run !== undefined && signsOf(run) >= MIN_SIGNS) yield run;
    at = Math.max(probe, run?.end ?? 0) + 1;
  }
}

function signsOf({ start, end, isWide }: EncodedRun): number {
  return (end - start) / (isWide ? 2 : 1);
}

/** That place, or the one before it where this is the zero behind a sign. */
function signNear(bytes: Buffer, place: number): number | undefined {
  if (isSign(bytes, place)) return place;
  return bytes[place] === 0 && isSign(bytes, place - 1) ? place - 1 : undefined;
}

function runAround(bytes: Buffer, sign: number, least: number): EncodedRun {
  const end = lastSign(bytes, sign, 1) + 1;
  const start = firstSign(bytes, sign, { step: 1, least });
  const isWide = end - start === 1 && bytes[end] === 0;
  if (!isWide) return { start, end, isWide };
  return {
    start: firstSign(bytes, sign, { step: 2, least }),
    end: lastSign(bytes, sign, 2) + 2,
    isWide,
  };
}

function lastSign(bytes: Buffer, from: number, step: 1 | 2): number {
  let last = from;
  while (isSignOf(bytes, last + step, step)) last += step;
  return last;
}

function firstSign(
  bytes: Buffer,
  from: number,
  { step, least }: { step: 1 | 2; least: number },
): number {
  let first = from;
  while (first - step >= least && isSignOf(bytes, first - step, step)) first -= step;
  return first;
}

function isSignOf(bytes: Buffer, place: number, step: 1 | 2): boolean {
  return isSign(bytes, place) && (step === 1 || bytes[place + 1] === 0);
}

function isSign(bytes: Buffer, place: number): boolean {
  return IS_SIGN[bytes[place] ?? 0] === 1;
}
