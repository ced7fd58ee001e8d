import { invalid, Problem } from '../../domain/problem.ts';
import type { ReportDraft } from '../../domain/reports/report.ts';
import type { DraftLine } from '../../operations/reports/create-reports.ts';
import { awaitBodyTurn, isLongBody } from './body-turns.ts';
import { validate } from './field-rules.ts';
import { type NumberedLine, parseJsonLine, readLines } from './ndjson.ts';
import { createBody } from './report-fields.ts';

export const MAX_LINES = 10_000;
/** The body limit of a single create. */
const MAX_LINE_BYTES = 64 * 1024;
/** Ten times the usual size of `MAX_LINES` reports. */
export const MAX_BATCH_BYTES = 64 * 1024 * 1024;
/**
 * Lines that share a transaction: enough to amortize one flush, few enough to let other writers in.
 * A tag that is new in its feed costs a quarter of a report.
 */
const MAX_GROUP_COST = 500;
const TAGS_PER_LINE_COST = 4;
const MAX_GROUP_BYTES = 256 * 1024;

/** Validates the body of a create against the scale of its service. */
export function readDraft(body: unknown, scale: number): ReportDraft {
  const checked = validate(createBody(scale), body);
  if ('problems' in checked) throw invalid('invalid_body', checked.problems);
  const { c2Address, file256Hash, tags, referenceLink, confidenceScore } = checked.value;
  return {
    tags: tags ?? [],
    c2: c2Address,
    sha256: file256Hash,
    reference: referenceLink,
    confidence: confidenceScore,
  };
}

/**
 * Parses a stream of NDJSON into groups of reports. The first line above `MAX_LINES` is refused,
 * and reading stops.
 */
export async function* readReportLines(
  stream: AsyncIterable<Uint8Array>,
  scale: number,
): AsyncGenerator<readonly DraftLine[]> {
  const tooLarge = batchTooLarge();
  let count = 0;
  let last = 0;
  try {
    for await (const lines of readLines(bounded(stream, tooLarge), MAX_LINE_BYTES)) {
      const accepted = lines.slice(0, MAX_LINES - count);
      yield* inGroups(accepted, scale);
      count += accepted.length;
      last = lines.at(-1)?.line ?? last;
      const tooMany = lines[accepted.length];
      if (tooMany === undefined) continue;
      const problem = new Problem('too_many_lines', { parameters: { limit: MAX_LINES } });
      return yield [{ line: tooMany.line, problem }];
    }
  } catch (cause) {
    // The body ended with a refusal: it is too large, or the permission of the caller was revoked.
    if (!(cause instanceof Problem)) throw cause;
    yield [{ line: last + 1, problem: cause }];
  }
}

async function* inGroups(
  lines: readonly NumberedLine[],
  scale: number,
): AsyncGenerator<readonly DraftLine[]> {
  let group: DraftLine[] = [];
  let cost = 0;
  let bytes = 0;
  for (const line of lines) {
    if (isLongBody(line.bytes.length)) await awaitBodyTurn(line.bytes.length);
    const parsed = parseReportLine(line, scale);
    const lineCost = costOf(parsed);
    const isFull = cost + lineCost > MAX_GROUP_COST || bytes + line.bytes.length > MAX_GROUP_BYTES;
    if (group.length > 0 && isFull) {
      yield group;
      group = [];
      cost = 0;
      bytes = 0;
    }
    group.push(parsed);
    cost += lineCost;
    bytes += line.bytes.length;
  }
  if (group.length > 0) yield group;
}

function costOf(line: DraftLine): number {
  return 'draft' in line ? Math.max(1, line.draft.tags.length / TAGS_PER_LINE_COST) : 1;
}

function parseReportLine({ line, bytes }: NumberedLine, scale: number): DraftLine {
  try {
    if (bytes.length > MAX_LINE_BYTES)
      throw new Problem('line_too_long', { parameters: { limit: MAX_LINE_BYTES } });
    const parsed = parseJsonLine(bytes);
    if (parsed === undefined) throw new Problem('malformed_line');
    return { line, draft: readDraft(parsed.value, scale) };
  } catch (problem) {
    if (problem instanceof Problem) return { line, problem };
    throw problem;
  }
}

async function* bounded(
  stream: AsyncIterable<Uint8Array>,
  tooLarge: Problem,
): AsyncGenerator<Uint8Array> {
  let length = 0;
  for await (const chunk of stream) {
    length += chunk.length;
    if (length > MAX_BATCH_BYTES) throw tooLarge;
    yield chunk;
  }
}

export function batchTooLarge(): Problem {
  return new Problem('body_too_large', { parameters: { limit: MAX_BATCH_BYTES } });
}
