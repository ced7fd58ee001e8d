import { addAbortSignal } from 'node:stream';
import { z } from 'zod';
import { readAnalysisLines } from '../../../http/requests/analysis-lines.ts';
import { field, parsed } from '../../../http/requests/field-rules.ts';
import type { Dependencies } from '../../../operations/dependencies.ts';
import {
  type ImportLine,
  type ImportTally,
  importSamples,
  type RefusedLine,
} from '../../../operations/samples/import-samples.ts';
import { type Command, CommandError, type CommandInput } from '../../command.ts';
import { type LineSource, openLineSource } from '../../input/line-source.ts';
import { ProgressBar } from '../../output/progress-bar.ts';
import { visible } from '../../output/show.ts';
import { onShutdownSignal } from '../../signals.ts';
import { auditContextOf, onStore, parseInput } from '../../store-command.ts';

/** More refusals than this usually have one cause. The count includes all of them. */
const MAX_REFUSALS = 100;

/**
 * More than the server takes at once, because this process serves no requests: the full-text index
 * then merges less. Writes of a running server wait for a chunk, which limits its size.
 */
const CHUNK_LINES = 1000;

const importOptions = z.object({
  'from-line': field(
    'the number of a line, from 1 on',
    parsed((text) => (/^[1-9][0-9]{0,14}$/.test(text) ? Number(text) : undefined)).optional(),
  ),
});

export const sampleImport: Command = {
  usage: '<file.ndjson|-> [--from-line <n>]',
  arguments: { '<file.ndjson|->': 'The analyses, one per line; - is standard input' },
  options: { 'from-line': { type: 'string', value: '<n>', description: 'The line to start with' } },
  examples: [
    { command: 'rapsheet sample import analyses.ndjson', description: 'Import analyses' },
    {
      command: 'rapsheet sample import analyses.ndjson --from-line 20001',
      description: 'Continue an import',
    },
  ],
  positionals: [1, 1],
  async run(input) {
    const members = { 'from-line': input.options['from-line'] };
    const from = parseInput(importOptions, members, { 'from-line': '--from-line' })['from-line'];
    const run = new ImportRun(openLineSource(input.positionals[0] ?? '-'), from ?? 1, input);
    const summary = await onStore(input, (deps) => run.in(deps), { create: true });
    input.print(summary, describe(summary));
    if (summary.nextLine !== null)
      throw new CommandError(
        `the import was stopped; continue with --from-line ${summary.nextLine}`,
      );
    if (summary.refused > 0) throw new CommandError('some lines were refused');
  },
};

interface ImportSummary extends ImportTally {
  readonly refusals: readonly RefusedLine[];
  /** The line to continue with after a stop; `null` after the last line. */
  readonly nextLine: number | null;
}

/** An import. A signal stops it after the lines that are already read. */
class ImportRun {
  readonly #source: LineSource;
  readonly #from: number;
  readonly #printMessage: CommandInput['printMessage'];
  readonly #bar: ProgressBar;
  readonly #stop = new AbortController();
  readonly #refusals: RefusedLine[] = [];
  #bytes = 0;
  #doneLine: number;
  #stopped = false;

  constructor(source: LineSource, from: number, { printMessage }: CommandInput) {
    this.#source = source;
    this.#from = from;
    this.#doneLine = from - 1;
    this.#printMessage = printMessage;
    this.#bar = new ProgressBar(process.stderr, source.totalBytes);
  }

  async in(deps: Dependencies): Promise<ImportSummary> {
    const stop = () => this.#stop.abort();
    const off = onShutdownSignal(stop);
    addAbortSignal(this.#stop.signal, this.#source.stream);
    try {
      const tally = await importSamples(deps, auditContextOf(deps), this.#lines(), {
        refused: (line) => this.#refuse(line),
        progress: (line) => this.#progress(line),
        chunkLines: CHUNK_LINES,
      });
      return this.#summary(tally);
    } catch (cause) {
      this.#bar.clear();
      this.#printMessage(
        `The import was interrupted; continue with --from-line ${this.#doneLine + 1}.`,
      );
      throw cause;
    } finally {
      off();
    }
  }

  #summary(tally: ImportTally): ImportSummary {
    this.#bar.clear();
    const more = tally.refused - this.#refusals.length;
    if (more > 0) this.#printMessage(`… and ${more} more refused lines`);
    return {
      ...tally,
      refusals: this.#refusals,
      nextLine: this.#stopped ? this.#doneLine + 1 : null,
    };
  }

  /** A stop makes the source throw. Returning normally instead stores the lines already read. */
  async *#lines(): AsyncGenerator<ImportLine> {
    try {
      yield* readAnalysisLines(this.#counted(), this.#from);
    } catch (cause) {
      if (!this.#stop.signal.aborted) throw cause;
      this.#stopped = true;
    }
  }

  async *#counted(): AsyncGenerator<Uint8Array> {
    for await (const chunk of this.#source.stream) {
      this.#bytes += chunk.length;
      yield chunk;
    }
  }

  #progress(line: number): void {
    this.#doneLine = line;
    this.#bar.show(this.#bytes, line - this.#from + 1);
  }

  #refuse(refused: RefusedLine): void {
    if (this.#refusals.length >= MAX_REFUSALS) return;
    this.#refusals.push(refused);
    this.#bar.clear();
    // A refusal may quote the line.
    this.#printMessage(`line ${refused.line}: ${visible(refused.error)}`);
  }
}

function describe({ added, replaced, unchanged, refused }: ImportSummary): string {
  return `${added} added, ${replaced} replaced, ${unchanged} unchanged, ${refused} refused`;
}
