import type { AnalysisReport } from '../../domain/samples/analysis-report.ts';
import type { AuditContext } from '../../ports/audit-context.ts';
import type { Authority } from '../../ports/authority.ts';
import type { Stored } from '../../ports/sample-store.ts';
import type { Dependencies } from '../dependencies.ts';

/** One line of an import: a report, or why it is none. */
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

/** Lines that share a transaction: large enough to pay one flush for many, short enough to let others write. */
const CHUNK = 200;
/** Together they may be as large as one line: parsed reports take many times as much memory as their text. */
const CHUNK_BYTES = 1024 * 1024;

const REFUSALS: Readonly<Record<'conflict' | 'removed', string>> = {
  conflict: 'one of sha256Hash, sha512Hash and blake3Hash is already that of another file.',
  removed: 'this file was removed by an operator and may not be stored again.',
};

/**
 * Stores finished analysis reports. A line that is refused spoils no other; lines already stored are
 * counted as unchanged, so an import that was cut off can simply be run again.
 */
export async function importSamples(
  deps: Dependencies,
  audit: AuditContext,
  lines: AsyncIterable<ImportLine> | Iterable<ImportLine>,
  on: {
    refused(line: RefusedLine): void;
    progress?(line: number): void;
    /** Who imports: checked again before each chunk is committed. */
    readonly authority?: Authority;
  },
): Promise<ImportTally> {
  const tally: ImportTally = { added: 0, replaced: 0, unchanged: 0, refused: 0 };
  const note = () => deps.store.audit.write('sample.import', 'samples', { ...tally }, audit);
  try {
    for await (const chunk of chunks(lines)) {
      for (const outcome of await importChunk(deps, chunk, on.authority)) {
        if (typeof outcome === 'object') on.refused(outcome);
        tally[typeof outcome === 'object' ? 'refused' : outcome] += 1;
      }
      on.progress?.(chunk.at(-1)?.line ?? 0);
    }
  } catch (cause) {
    // Noted even where the lines break off: those before are stored. But the first failure is what counts.
    await note().catch(() => undefined);
    throw cause;
  }
  await note();
  return tally;
}

/** What became of each line, in order. */
async function importChunk(
  deps: Dependencies,
  chunk: readonly ImportLine[],
  authority: Authority | undefined,
): Promise<readonly (Exclude<Stored, keyof typeof REFUSALS> | RefusedLine)[]> {
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

async function* chunks(
  lines: AsyncIterable<ImportLine> | Iterable<ImportLine>,
): AsyncGenerator<ImportLine[]> {
  let chunk: ImportLine[] = [];
  let bytes = 0;
  for await (const line of lines) {
    chunk.push(line);
    bytes += line.sizeBytes;
    if (chunk.length < CHUNK && bytes < CHUNK_BYTES) continue;
    yield chunk;
    chunk = [];
    bytes = 0;
  }
  if (chunk.length > 0) yield chunk;
}
