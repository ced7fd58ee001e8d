/**
 * Finds runs of printable text in arbitrary bytes, ASCII or UTF-16LE limited to ASCII:
 *
 *   narrow   at least 5 bytes of 20..7E or tab
 *   wide     at least 5 such bytes, each followed by 00
 *
 * A run is only a pair of offsets: nothing is decoded or stored, so a large text costs no memory.
 */
const MIN_STRING_LENGTH = 5;

/** Iterates over the runs: `while (runs.next()) use(runs.start, runs.end, runs.wide)`. */
export class StringRuns {
  readonly bytes: Buffer;
  start = 0;
  /** Exclusive. For a wide run it includes the last zero. */
  end = 0;
  wide = false;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  next(): boolean {
    return findRun(this.bytes, this.end, this);
  }
}

const OTHER = 0;
const TEXT = 1;
const ZERO = 2;
const KIND = Uint8Array.from({ length: 256 }, (_, byte) => {
  if (byte === 0) return ZERO;
  return (byte >= 0x20 && byte <= 0x7e) || byte === 0x09 ? TEXT : OTHER;
});

/**
 * The hot loop. No run begins before `at`, so a run that is long enough covers the fifth byte from
 * there: bytes that are not text are mostly skipped five at a time.
 */
function findRun(bytes: Buffer, from: number, found: StringRuns): boolean {
  const length = bytes.length;
  let at = from;
  while (at + MIN_STRING_LENGTH <= length) {
    const probe = at + MIN_STRING_LENGTH - 1;
    const kind = KIND[bytes[probe] as number];
    if (kind === OTHER || (kind === ZERO && KIND[bytes[probe - 1] as number] !== TEXT)) {
      at = probe + 1;
      continue;
    }
    const end = endOfText(bytes, probe);
    const start = startOfText(bytes, probe, at);
    if (end - start >= MIN_STRING_LENGTH) return report(found, start, end);
    if (end < length && bytes[end] === 0 && reportWide(found, at, end - 1)) return true;
    at = end + 1;
  }
  found.start = length;
  found.end = length;
  return false;
}

function endOfText(bytes: Buffer, from: number): number {
  let end = from;
  while (end < bytes.length && KIND[bytes[end] as number] === TEXT) end += 1;
  return end;
}

function startOfText(bytes: Buffer, from: number, lowest: number): number {
  let start = from;
  while (start > lowest && KIND[bytes[start - 1] as number] === TEXT) start -= 1;
  return start;
}

function report(found: StringRuns, start: number, end: number): true {
  found.start = start;
  found.end = end;
  found.wide = false;
  return true;
}

/**
 * Tries the wide run around a letter that is followed by zero; the run begins at `from` or later.
 */
function reportWide(found: StringRuns, from: number, letter: number): boolean {
  const bytes = found.bytes;
  let start = letter;
  while (start - 2 >= from && bytes[start - 1] === 0 && KIND[bytes[start - 2] as number] === TEXT) {
    start -= 2;
  }
  const end = endOfWide(bytes, letter);
  if (end - start < 2 * MIN_STRING_LENGTH) return false;
  found.start = start;
  found.end = end;
  found.wide = true;
  return true;
}

function endOfWide(bytes: Buffer, start: number): number {
  const last = bytes.length - 1;
  let at = start;
  while (at < last && KIND[bytes[at] as number] === TEXT && bytes[at + 1] === 0) at += 2;
  return at;
}

/** Decodes a run. */
export function textOfRun(bytes: Buffer, run: Pick<StringRuns, 'start' | 'end' | 'wide'>): string {
  return bytes.toString(run.wide ? 'utf16le' : 'latin1', run.start, run.end);
}
