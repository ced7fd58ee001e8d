import { z } from 'zod';
import type { AnalysisReport } from '../domain/analysis-report.ts';
import { parseHexDigest } from '../domain/file-hash.ts';
import { isVisible } from '../domain/report.ts';
import type { ImportLine } from '../operations/import-samples.ts';
import { check, exactly, parsed, ruled } from './rules.ts';

/** One report with very many settings fits; a file without line ends does not fill the memory. */
const MAX_LINE_BYTES = 1024 * 1024;

/** Far deeper than any settings; writing out a tower of brackets would overflow the stack. */
const MAX_DEPTH = 32;

/** Whether it can be written out again, with every member it has. */
function isTame(value: unknown, depth = 0): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return (
    depth <= MAX_DEPTH &&
    // Copying would set it rather than keep it.
    !Object.hasOwn(value, '__proto__') &&
    Object.values(value).every((member) => isTame(member, depth + 1))
  );
}

const DATE = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

function parseDate(text: string): Date | undefined {
  const date = new Date(text);
  // The comparison refuses what the clock would only wrap around, such as February 30th.
  return DATE.test(text) &&
    !Number.isNaN(date.getTime()) &&
    date.toISOString().startsWith(text.slice(0, 19))
    ? date
    : undefined;
}

function digest(bytes: number) {
  return ruled(
    `${bytes * 2} hexadecimal digits`,
    parsed((text) => parseHexDigest(text, bytes)),
  );
}

function text(most: number) {
  return ruled(`a text of at most ${most} characters`, z.string().max(most));
}

/** The analysis report of the specification, section 2.2. */
const analysisReport = exactly({
  date: ruled('a UTC time of the form YYYY-MM-DDTHH:MM:SSZ', parsed(parseDate), {
    also: 'When the report was made',
    example: '2026-08-26T10:00:00Z',
  }),
  tags: ruled(
    'a list of at most 64 objects {heat, name}: heat an integer from 1 to 10, name a text of 1 to 64 visible characters',
    z
      .array(
        z.strictObject({
          heat: z.int().min(1).max(10),
          name: z.string().max(64).refine(isVisible),
        }),
      )
      .max(64),
  ),
  ssDeep: text(256),
  configs: ruled(
    `an object that has, for each family by its name of 1 to 64 visible characters, an object of settings at most ${MAX_DEPTH} levels deep`,
    z
      .unknown()
      .refine((value) => isTame(value))
      .pipe(z.record(z.string().max(64).refine(isVisible), z.record(z.string(), z.unknown()))),
  ),
  mD5Hash: digest(16),
  fileName: text(1024),
  sha1Hash: digest(20),
  blake3Hash: digest(32),
  sha256Hash: digest(32),
  sha512Hash: digest(64),
  sizeInBytes: ruled('an integer of at least 0', z.int().min(0)),
  staticAnalysisDuration: text(64),
});

function toReport(wire: z.output<typeof analysisReport>): AnalysisReport {
  return {
    date: wire.date,
    tags: wire.tags,
    ssdeep: wire.ssDeep,
    configs: wire.configs,
    md5: wire.mD5Hash,
    sha1: wire.sha1Hash,
    sha256: wire.sha256Hash,
    sha512: wire.sha512Hash,
    blake3: wire.blake3Hash,
    fileName: wire.fileName,
    sizeBytes: wire.sizeInBytes,
    duration: wire.staticAnalysisDuration,
  };
}

function parseAnalysisLine(line: number, bytes: Buffer): ImportLine {
  const refuse = (...problems: string[]): ImportLine => ({ line, report: undefined, problems });
  if (bytes.length > MAX_LINE_BYTES)
    return refuse(`a line must be at most ${MAX_LINE_BYTES} bytes long.`);
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return refuse('the line is not valid JSON in UTF-8.');
  }
  const checked = check(analysisReport, value);
  return 'value' in checked
    ? { line, report: toReport(checked.value), problems: [] }
    : refuse(...checked.problems);
}

/**
 * Cuts a stream of NDJSON into reports. Empty lines are passed over but counted, so that numbers are
 * those of an editor. `from` is the first line that is looked at.
 */
export async function* readAnalysisLines(
  stream: AsyncIterable<Uint8Array>,
  from = 1,
): AsyncGenerator<ImportLine> {
  let line = 0;
  for await (const bytes of readLines(stream)) {
    line += 1;
    if (line < from || bytes.length === 0 || (bytes.length === 1 && bytes[0] === 0x0d)) continue;
    yield parseAnalysisLine(line, bytes);
  }
}

/** Of a line that is too long only as much is kept as shows that it is. */
async function* readLines(stream: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let parts: Buffer[] = [];
  let length = 0;
  const keep = (part: Buffer) => {
    if (length <= MAX_LINE_BYTES) parts.push(part);
    length += part.length;
  };
  for await (const chunk of stream) {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    let start = 0;
    for (let end = bytes.indexOf(0x0a); end !== -1; end = bytes.indexOf(0x0a, start)) {
      keep(bytes.subarray(start, end));
      yield Buffer.concat(parts);
      parts = [];
      length = 0;
      start = end + 1;
    }
    keep(bytes.subarray(start));
  }
  if (length > 0) yield Buffer.concat(parts);
}
