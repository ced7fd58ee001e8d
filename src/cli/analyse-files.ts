import { basename } from 'node:path';
import { readConfig } from '../config.ts';
import type { AnalysisDetails } from '../domain/samples/analysis.ts';
import { serializers } from '../http/responses/present.ts';
import type { Analyser, AnalysisOutcome } from '../ports/analyser.ts';
import { openAnalyser } from '../server/open-analyser.ts';
import type { startFirstWorker } from '../server/start-first-worker.ts';
import { CommandError, type CommandInput } from './command.ts';
import { type LocalFile, mapInOrder, readChunks } from './input/files.ts';
import { ProgressBar } from './output/progress-bar.ts';
import { showAnalysis, showDetails, visible } from './output/show.ts';

/** Analyses the files with the worker that was started, and with others if they pay. */
export async function analyseFiles(
  input: CommandInput,
  files: readonly LocalFile[],
  first: ReturnType<typeof startFirstWorker>,
): Promise<void> {
  const config = readConfig();
  const workers = workersFor(files, config.localWorkers);
  const analyser = await openAnalyser(config, { workers, startedAtOnce: workers, first });
  try {
    for (const problem of analyser.ruleProblems) input.printMessage(visible(problem));
    for (const lack of analyser.isolation.lacks) input.printMessage(`isolation lacks ${lack}`);
    const run = new AnalyseRun(analyser, input, files);
    await run.all(config.uploadLimitBytes);
  } finally {
    await analyser.close();
  }
}

/**
 * A worker takes as long to start as it takes to analyse this many small files, or this many bytes
 * of large ones.
 */
const FILES_TO_START = 25;
const BYTES_TO_START = 5_000_000;

/** Another worker must have more to do than its start takes. */
export function workersFor(files: readonly LocalFile[], max: number): number {
  const totalBytes = files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  const worth = files.length / FILES_TO_START + totalBytes / BYTES_TO_START;
  return Math.max(1, Math.min(max, files.length, Math.floor(worth)));
}

/** Enough that no worker waits while the next result in order is outstanding. */
const FILES_PER_WORKER = 4;

interface Analysed {
  readonly file: LocalFile;
  readonly outcome: AnalysisOutcome;
}

/** Analyses a list of files and prints the results in the order of the list. */
class AnalyseRun {
  readonly #analyser: Analyser;
  readonly #input: CommandInput;
  readonly #files: readonly LocalFile[];
  readonly #bar: ProgressBar;
  #bytes = 0;
  #done = 0;
  #failed = 0;

  constructor(analyser: Analyser, input: CommandInput, files: readonly LocalFile[]) {
    this.#analyser = analyser;
    this.#input = input;
    this.#files = files;
    const totalBytes = files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    this.#bar = new ProgressBar(process.stderr, totalBytes, { unit: 'files' });
  }

  async all(limitBytes: number): Promise<void> {
    const analyse = (file: LocalFile) => this.#analyse(file, limitBytes);
    const atOnce = this.#analyser.capacity * FILES_PER_WORKER;
    for await (const analysed of mapInOrder(this.#files, atOnce, analyse)) this.#show(analysed);
    this.#bar.clear();
    if (this.#files.length > 1)
      this.#input.printMessage(`${this.#done - this.#failed} analysed, ${this.#failed} failed`);
    if (this.#failed > 0) throw new CommandError('not every file could be analysed');
  }

  async #analyse(file: LocalFile, limitBytes: number): Promise<Analysed> {
    if (file.sizeBytes > limitBytes) {
      const message = `the file is larger than ${limitBytes} bytes (RAPSHEET_UPLOAD_LIMIT_BYTES)`;
      return { file, outcome: { kind: 'failed', failure: 'unreadable', message } };
    }
    const sample = {
      fileName: basename(file.path).toWellFormed().slice(0, 255),
      sizeBytes: file.sizeBytes,
      bytes: readChunks(file),
    };
    return { file, outcome: await this.#analyser.analyse(sample, new Date()) };
  }

  #show({ file, outcome }: Analysed): void {
    this.#bytes += file.sizeBytes;
    this.#done += 1;
    if (outcome.kind === 'done') {
      this.#bar.clear();
      this.#print(file, outcome);
    } else {
      this.#failed += 1;
      this.#bar.clear();
      this.#input.printMessage(visible(`${file.path}: ${outcome.failure}: ${outcome.message}`));
    }
    this.#bar.show(this.#bytes, this.#done);
  }

  #print({ path }: LocalFile, { analysis }: Extract<AnalysisOutcome, { kind: 'done' }>): void {
    const line = serializers.analysis(analysis.report);
    const { details } = analysis;
    const { options } = this.#input;
    if (options['ndjson'] === true) {
      const whole = `{"path":${JSON.stringify(path)},"report":${line},"details":${JSON.stringify(details)}}`;
      process.stdout.write(`${options['details'] === true ? whole : line}\n`);
      return;
    }
    const report = JSON.parse(line);
    this.#input.print(
      { path, report, details },
      `${this.#done > 1 ? '\n' : ''}${showAnalysis(report)}${this.#details(details)}`,
    );
  }

  #details(details: AnalysisDetails): string {
    const shown = showDetails(details, this.#input.options['details'] === true);
    return shown === '' ? '' : `\n${shown}`;
  }
}
