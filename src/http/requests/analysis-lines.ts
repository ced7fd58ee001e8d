import { z } from 'zod';
import { isVisible } from '../../domain/reports/report.ts';
import type { AnalysisReport } from '../../domain/samples/analysis-report.ts';
import { parseHexDigest } from '../../domain/samples/file-hash.ts';
import type { ImportLine } from '../../operations/samples/import-samples.ts';
import { awaitBodyTurn, isLongBody } from './body-turns.ts';
import { listOf } from './bounded-list.ts';
import { field, parsed, strictObject, validate } from './field-rules.ts';
import { boundRule, exceededBound, type JsonBounds } from './json-bounds.ts';
import { type NumberedLine, parseJsonLine, readLines } from './ndjson.ts';

/** More tags than any file has. */
const MAX_ANALYSIS_TAGS = 64;
/** Deeper than any settings. Serializing deeply nested arrays would overflow the stack. */
const MAX_DEPTH = 32;
/** Fits an analysis with very many settings, and bounds the memory for a body without line ends. */
const MAX_LINE_BYTES = 1024 * 1024;

/** More settings than any malware has. Parsed and validated, this many take about ten megabytes. */
const MAX_VALUES = 50_000;
/** The names of settings are those of the malware. Settings are at most `MAX_DEPTH` levels deep. */
const LINE_BOUNDS: JsonBounds = { values: MAX_VALUES, depth: 64, names: MAX_VALUES };

/** PostgreSQL has no year 0. */
const DATE = /^(?!0000)\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

function parseDate(text: string): Date | undefined {
  if (!DATE.test(text)) return undefined;
  const date = new Date(text);
  if (Number.isNaN(date.getTime())) return undefined;
  // `Date` rolls over February 30th and 24 o'clock, but nothing before the 28th and 23 o'clock.
  const mayRollOver = text.slice(8, 10) > '28' || text.slice(11, 13) > '23';
  return mayRollOver && !date.toISOString().startsWith(text.slice(0, 19)) ? undefined : date;
}

/** Whether the value can be serialized again with all its members. */
function isSerializable(value: unknown, depth = 0): boolean {
  if (typeof value !== 'object' || value === null) return true;
  if (depth > MAX_DEPTH) return false;
  // Copying an object would set its prototype instead of a member of this name.
  if (Object.hasOwn(value, '__proto__')) return false;
  for (const key in value)
    if (!isSerializable((value as Readonly<Record<string, unknown>>)[key], depth + 1)) return false;
  return true;
}

function digest(bytes: number) {
  return field(
    `${bytes * 2} hexadecimal digits`,
    parsed((text) => parseHexDigest(text, bytes)),
  );
}

function text(max: number) {
  return field(`a text of at most ${max} characters`, z.string().max(max));
}

/** The analysis report of the specification, section 2.2. */
const analysisReport = strictObject({
  date: field('a UTC time of the form YYYY-MM-DDTHH:MM:SSZ', parsed(parseDate), {
    details: 'When the analysis was made',
    example: '2026-08-26T10:00:00Z',
  }),
  tags: field(
    `a list of at most ${MAX_ANALYSIS_TAGS} objects {heat, name}: heat an integer from 1 to 10, name a text of 1 to 64 visible characters`,
    listOf(
      z.strictObject({
        heat: z.int().min(1).max(10),
        name: z.string().max(64).refine(isVisible),
      }),
      { max: MAX_ANALYSIS_TAGS },
    ),
  ),
  ssDeep: text(256),
  configs: field(
    `an object that has, for each family by its name of 1 to 64 visible characters, an object of settings at most ${MAX_DEPTH} levels deep`,
    z
      .unknown()
      .refine((value) => isSerializable(value))
      .pipe(z.record(z.string().max(64).refine(isVisible), z.record(z.string(), z.unknown()))),
  ),
  mD5Hash: digest(16),
  fileName: text(1024),
  sha1Hash: digest(20),
  blake3Hash: digest(32),
  sha256Hash: digest(32),
  sha512Hash: digest(64),
  sizeInBytes: field('an integer of at least 0', z.int().min(0)),
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

const NO_PROBLEMS: readonly string[] = [];

function parseAnalysisLine({ line, bytes }: NumberedLine): ImportLine {
  const sizeBytes = bytes.length;
  const refuse = (...problems: string[]): ImportLine => ({
    line,
    sizeBytes,
    report: undefined,
    problems,
  });
  if (sizeBytes > MAX_LINE_BYTES)
    return refuse(`a line must be at most ${MAX_LINE_BYTES} bytes long.`);
  const bound = exceededBound(bytes, LINE_BOUNDS);
  if (bound !== undefined) return refuse(`a line must have ${boundRule(bound, LINE_BOUNDS)}.`);
  const parsed = parseJsonLine(bytes);
  if (parsed === undefined) return refuse('the line is not valid JSON in UTF-8.');
  const checked = validate(analysisReport, parsed.value);
  return 'value' in checked
    ? { line, sizeBytes, report: toReport(checked.value), problems: NO_PROBLEMS }
    : refuse(...checked.problems);
}

/** Parses a stream of NDJSON. `from` is the number of the first line that is parsed. */
export async function* readAnalysisLines(
  stream: AsyncIterable<Uint8Array>,
  from = 1,
): AsyncGenerator<ImportLine> {
  for await (const lines of readLines(stream, MAX_LINE_BYTES))
    for (const line of lines) {
      if (line.line < from) continue;
      if (isLongBody(line.bytes.length)) await awaitBodyTurn(line.bytes.length);
      yield parseAnalysisLine(line);
    }
}
