import { addAbortSignal } from 'node:stream';
import type { BatchPace } from '../../client/batch.ts';
import type { RapsheetClient } from '../../client/client.ts';
import { RapsheetError } from '../../client/error.ts';
import { newKey } from '../../client/keys.ts';
import type { BatchLine } from '../../client/wire.ts';
import { CommandError, type CommandInput } from '../command.ts';
import { connect } from '../connection.ts';
import { type LineSource, openLineSource } from '../input/line-source.ts';
import { answersTo, type Batch, bytesOf, readBatches, sentBytes } from '../input/report-batches.ts';
import { ProgressBar } from '../output/progress-bar.ts';
import { visible } from '../output/show.ts';
import { onShutdownSignal } from '../signals.ts';

/** More refusals than this usually have one cause. The count includes all of them. */
const MAX_REFUSALS = 100;

/** Reports each line of a file to a service; `-` is standard input. */
export async function reportLines(
  input: CommandInput,
  service: string,
  file: string,
): Promise<void> {
  const run = new BulkRun(connect(input), { service, source: openLineSource(file) }, input);
  await run.all();
  const { summary } = run;
  if (input.options['ndjson'] === true) input.printMessage(describe(summary));
  else input.print(summary, describe(summary));
  if (run.isStopped) throw new CommandError(`the command was stopped; ${resumeHint(summary.key)}`);
  if (summary.refused > 0) throw new CommandError('some lines were refused');
}

interface Refusal {
  readonly line: number;
  readonly error: string;
  readonly code: string;
}

interface LinesToSend {
  readonly service: string;
  readonly source: LineSource;
}

interface BulkSummary {
  readonly created: number;
  /** Created earlier with the same key. */
  readonly replayed: number;
  readonly refused: number;
  /** Created with a C2 that the desk has rejected as a false positive. */
  readonly c2Rejected: number;
  readonly refusals: readonly Refusal[];
  readonly key: string;
}

/** Sends a file batch by batch. A signal stops it after the current batch. */
class BulkRun {
  readonly #client: RapsheetClient;
  readonly #service: string;
  readonly #source: LineSource;
  readonly #input: CommandInput;
  readonly #key: string;
  readonly #bar: ProgressBar;
  readonly #stop = new AbortController();
  readonly #refusals: Refusal[] = [];
  /** Whether a signal stopped it before the end of the source. */
  isStopped = false;
  #bytes = 0;
  #created = 0;
  #replayed = 0;
  #refused = 0;
  #c2Rejected = 0;
  #isPaceShown = false;

  constructor(client: RapsheetClient, { service, source }: LinesToSend, input: CommandInput) {
    this.#client = client;
    this.#service = service;
    this.#source = source;
    this.#input = input;
    this.#key = (input.options['key'] as string | undefined) ?? newKey();
    this.#bar = new ProgressBar(process.stderr, source.totalBytes);
  }

  get summary(): BulkSummary {
    return {
      created: this.#created,
      replayed: this.#replayed,
      refused: this.#refused,
      c2Rejected: this.#c2Rejected,
      refusals: this.#refusals,
      key: this.#key,
    };
  }

  async all(): Promise<void> {
    const stop = () => this.#stop.abort();
    const off = onShutdownSignal(stop);
    addAbortSignal(this.#stop.signal, this.#source.stream);
    try {
      for await (const batch of readBatches(this.#source.stream)) await this.#send(batch);
    } catch (cause) {
      this.isStopped = isAbort(cause);
      if (!this.isStopped) throw this.#interrupted(cause);
    } finally {
      off();
    }
    this.#printOmitted();
  }

  async #send(batch: Batch): Promise<void> {
    const key = batch.number === 1 ? this.#key : `${this.#key}/${batch.number}`;
    const onPace = (pace: BatchPace) => this.#showPace(pace, batch.lines.length);
    const post = () => this.#client.createReports(this.#service, bytesOf(batch), key, { onPace });
    for await (const answer of answersTo(batch, post)) this.#handle(answer, batch);
  }

  /** Once: a user who does not know of the rate takes a slow batch for a hung one. */
  #showPace({ remaining, perSecond }: BatchPace, lines: number): void {
    if (lines <= remaining || this.#isPaceShown) return;
    this.#isPaceShown = true;
    this.#bar.clear();
    const seconds = Math.ceil((lines - remaining) / perSecond);
    this.#input.printMessage(
      `The server accepts ${Math.round(perSecond * 100) / 100} reports a second from this account; about ${seconds} s for ${lines} lines.`,
    );
  }

  #handle(answer: BatchLine, { lines }: Batch): void {
    const sent = lines[answer.line - 1];
    if (sent === undefined) return;
    const result = { ...answer, line: sent.line };
    this.#bytes += sentBytes(sent);
    if (!answer.successful) this.#refuse(result);
    else if (answer.replayed) this.#replayed += 1;
    else this.#created += 1;
    if (answer.c2Rejected) this.#c2Rejected += 1;
    if (this.#input.options['ndjson'] === true) process.stdout.write(`${JSON.stringify(result)}\n`);
    this.#bar.show(this.#bytes, this.#answered);
  }

  #refuse({ line, error = '', code = '' }: BatchLine): void {
    this.#refused += 1;
    if (this.#refusals.length >= MAX_REFUSALS) return;
    this.#refusals.push({ line, error, code });
    this.#bar.clear();
    // A refusal may quote the line.
    this.#input.printMessage(`line ${line}: ${visible(error)}`);
  }

  #interrupted(cause: unknown): unknown {
    this.#bar.clear();
    const mayHaveActed = cause instanceof RapsheetError && cause.code === 'no_answer';
    if (mayHaveActed || this.#answered > 0)
      this.#input.printMessage(`The upload was interrupted; ${resumeHint(this.#key)}.`);
    return cause;
  }

  #printOmitted(): void {
    this.#bar.clear();
    const more = this.#refused - this.#refusals.length;
    if (more > 0) this.#input.printMessage(`… and ${more} more refused lines`);
  }

  get #answered(): number {
    return this.#created + this.#replayed + this.#refused;
  }
}

/** The error of a stream that was stopped by its signal. */
function isAbort(cause: unknown): boolean {
  return cause instanceof Error && cause.name === 'AbortError';
}

function resumeHint(key: string): string {
  return `run it again with --key ${JSON.stringify(key)} to resume without duplicates`;
}

function describe({ created, replayed, refused, c2Rejected }: BulkSummary): string {
  const counts = `${created} created, ${replayed} created before, ${refused} refused`;
  return c2Rejected === 0
    ? counts
    : `${counts}; ${c2Rejected} with a C2 that the desk has rejected as a false positive`;
}
