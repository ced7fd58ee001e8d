/**
 * Long runs of base64 or hexadecimal digits in arbitrary bytes, as ASCII or UTF-16LE (the literals
 * of .NET programs). Line breaks are part of a run.
 */
export interface EncodedRun {
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
  readonly isWide: boolean;
}

/** Shorter runs are keys, hashes and names; no program fits into them. */
export const MIN_CHARACTERS = 256;

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=\r\n';
const IS_ENCODED = new Uint8Array(256);
for (const character of ALPHABET) IS_ENCODED[character.charCodeAt(0)] = 1;

/**
 * No run begins before `at`, so a run that is long enough covers the byte that many characters
 * further on: most other bytes are skipped.
 */
export function* encodedRuns(bytes: Buffer): Generator<EncodedRun> {
  let at = 0;
  while (at + MIN_CHARACTERS <= bytes.length) {
    const probe = at + MIN_CHARACTERS - 1;
    const index = encodedIndexNear(bytes, probe);
    const run = index === undefined ? undefined : runAround(bytes, index, at);
    if (run !== undefined && lengthOf(run) >= MIN_CHARACTERS) yield run;
    at = Math.max(probe, run?.end ?? 0) + 1;
  }
}

function lengthOf({ start, end, isWide }: EncodedRun): number {
  return (end - start) / (isWide ? 2 : 1);
}

/** The index itself, or the one before it if this is the zero of a wide character. */
function encodedIndexNear(bytes: Buffer, index: number): number | undefined {
  if (isEncoded(bytes, index)) return index;
  return bytes[index] === 0 && isEncoded(bytes, index - 1) ? index - 1 : undefined;
}

function runAround(bytes: Buffer, index: number, lowest: number): EncodedRun {
  const end = lastEncoded(bytes, index, 1) + 1;
  const start = firstEncoded(bytes, index, { step: 1, lowest });
  const isWide = end - start === 1 && bytes[end] === 0;
  if (!isWide) return { start, end, isWide };
  return {
    start: firstEncoded(bytes, index, { step: 2, lowest }),
    end: lastEncoded(bytes, index, 2) + 2,
    isWide,
  };
}

function lastEncoded(bytes: Buffer, from: number, step: 1 | 2): number {
  let last = from;
  while (isEncodedAt(bytes, last + step, step)) last += step;
  return last;
}

function firstEncoded(
  bytes: Buffer,
  from: number,
  { step, lowest }: { step: 1 | 2; lowest: number },
): number {
  let first = from;
  while (first - step >= lowest && isEncodedAt(bytes, first - step, step)) first -= step;
  return first;
}

function isEncodedAt(bytes: Buffer, index: number, step: 1 | 2): boolean {
  return isEncoded(bytes, index) && (step === 1 || bytes[index + 1] === 0);
}

function isEncoded(bytes: Buffer, index: number): boolean {
  return IS_ENCODED[bytes[index] ?? 0] === 1;
}
