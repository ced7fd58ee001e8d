import type { AnalysisReport } from '../../domain/samples/analysis-report.ts';
import type { AuditContext } from '../../ports/audit-context.ts';
import type { Authority } from '../../ports/authority.ts';
import type { StoreOutcome } from '../../ports/sample-store.ts';
import type { Dependencies } from '../dependencies.ts';

/** One line of an import: an analysis report, or why the line is invalid. */
export interface ImportLine {
  readonly line: number;
  readonly sizeBytes: number;
  readonly report: AnalysisReport | undefined;
  readonly problems: readonly string[];
}

export interface ImportTally {
  added: number;
  replaced: number;
  unchanged: number;
  refused: number;
}

export interface RefusedLine {
  readonly line: number;
  readonly error: string;
}

/**
 * Lines that share a transaction: enough to spread the cost of a flush, few enough not to block
 * other writers for long. The commit of a chunk blocks the event loop.
 */
const CHUNK_LINES = 200;
/** A parsed report takes many times the memory of its text. */
const CHUNK_BYTES = 1024 * 1024;

const REFUSALS: Readonly<Record<'conflict' | 'removed', string>> = {
  conflict:
    'another file already has one of these values of sha256Hash, sha512Hash and blake3Hash.',
  removed: 'an operator removed this file; it cannot be stored again.',
};

/**
 * Stores finished analysis reports. A refused line does not affect the others. Lines that are
 * stored already count as unchanged, so an import that was interrupted can be repeated.
 */
export async function importSamples(
  deps: Dependencies,
  audit: AuditContext,
  lines: AsyncIterable<ImportLine> | Iterable<ImportLine>,
  on: {
    refused(line: RefusedLine): void;
    progress?(line: number): void;
    /** The importing account, which each chunk checks again before its commit. */
    readonly authority?: Authority;
    /** Lines that share a transaction. */
    readonly chunkLines?: number;
  },
): Promise<ImportTally> {
  const tally: ImportTally = { added: 0, replaced: 0, unchanged: 0, refused: 0 };
  const writeAudit = () => deps.store.audit.write('sample.import', 'samples', { ...tally }, audit);
  try {
    for await (const chunk of toChunks(lines, on.chunkLines ?? CHUNK_LINES)) {
      for (const outcome of await importChunk(deps, chunk, on.authority)) {
        if (typeof outcome === 'object') on.refused(outcome);
        tally[typeof outcome === 'object' ? 'refused' : outcome] += 1;
      }
      on.progress?.(chunk.at(-1)?.line ?? 0);
    }
  } catch (cause) {
    // The lines before the failure are stored, so they are audited. The first failure is the one to
    // report.
    await writeAudit().catch(() => undefined);
    throw cause;
  }
  await writeAudit();
  return tally;
}

/** Returns the outcome of each line, in order. */
async function importChunk(
  deps: Dependencies,
  chunk: readonly ImportLine[],
  authority: Authority | undefined,
): Promise<readonly (Exclude<StoreOutcome, keyof typeof REFUSALS> | RefusedLine)[]> {
  const reports = chunk.flatMap(({ report }) => report ?? []);
  const stored = await deps.store.samples.putAll(reports, deps.now(), authority);
  const outcomes = stored.values();
  return chunk.map(({ line, report, problems }) => {
    if (report === undefined) return { line, error: problems.join(' ') };
    const outcome = outcomes.next().value ?? 'conflict';
    return outcome === 'conflict' || outcome === 'removed'
      ? { line, error: REFUSALS[outcome] }
      : outcome;
  });
}

async function* toChunks(
  lines: AsyncIterable<ImportLine> | Iterable<ImportLine>,
  maxLines: number,
): AsyncGenerator<ImportLine[]> {
  let chunk: ImportLine[] = [];
  let bytes = 0;
  for await (const line of lines) {
    chunk.push(line);
    bytes += line.sizeBytes;
    if (chunk.length < maxLines && bytes < CHUNK_BYTES) continue;
    yield chunk;
    chunk = [];
    bytes = 0;
  }
  if (chunk.length > 0) yield chunk;
}
