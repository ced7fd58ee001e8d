import { addAbortSignal } from 'node:stream';
import type { RapsheetClient } from '../../client/client.ts';
import { RapsheetError } from '../../client/error.ts';
import { newKey } from '../../client/keys.ts';
import type { BatchLine } from '../../client/wire.ts';
import { type Command, CommandError, type CommandInput } from '../command.ts';
import { connect, connectionOptions, connectionUsage } from '../connection.ts';
import { type LineSource, openLineSource } from '../input/line-source.ts';
import { answersTo, type Batch, bytesOf, readBatches, sentBytes } from '../input/report-batches.ts';
import { ProgressBar } from '../output/progress-bar.ts';
import { visible } from '../output/show.ts';
import { onEnd } from '../signals.ts';

/** Whoever has more than this wrong has one thing wrong; the count is complete. */
const MAX_REFUSALS = 100;

export const feedBulk: Command = {
  name: 'feed bulk',
  usage: `<service> <file.ndjson|-> [--key <idempotency key>] [--ndjson] ${connectionUsage}`,
  summary: 'Report many C2 addresses to a service, one a line',
  options: { ...connectionOptions, key: { type: 'string' }, ndjson: { type: 'boolean' } },
  words: [2, 2],
  async run(input) {
    const [, file = '-'] = input.words;
    const run = new BulkRun(connect(input), openLineSource(file), input);
    await run.all();
    const { summary } = run;
    if (input.options['ndjson'] === true) input.tell(describe(summary));
    else input.print(summary, describe(summary));
    if (run.isStopped) throw new CommandError(`it was stopped; ${goOn(summary.key)}`);
    if (summary.refused > 0) throw new CommandError('not every line was taken');
  },
};

interface Refusal {
  readonly line: number;
  readonly error: string;
  readonly code: string;
}

interface BulkSummary {
  readonly created: number;
  /** Taken before with the same key. */
  readonly replayed: number;
  readonly refused: number;
  readonly refusals: readonly Refusal[];
  readonly key: string;
}

/** Sends a file, one batch after the other. A signal ends it after the batch that is under way. */
class BulkRun {
  readonly #client: RapsheetClient;
  readonly #source: LineSource;
  readonly #input: CommandInput;
  readonly #key: string;
  readonly #bar: ProgressBar;
  readonly #stop = new AbortController();
  readonly #refusals: Refusal[] = [];
  /** Before the end of the source, that is. */
  isStopped = false;
  #bytes = 0;
  #created = 0;
  #replayed = 0;
  #refused = 0;

  constructor(client: RapsheetClient, source: LineSource, input: CommandInput) {
    this.#client = client;
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
      refusals: this.#refusals,
      key: this.#key,
    };
  }

  async all(): Promise<void> {
    const stop = () => this.#stop.abort();
    const off = onEnd(stop);
    addAbortSignal(this.#stop.signal, this.#source.stream);
    try {
      for await (const batch of readBatches(this.#source.stream)) await this.#send(batch);
    } catch (cause) {
      this.isStopped = isAbort(cause);
      if (!this.isStopped) throw this.#brokenOff(cause);
    } finally {
      off();
    }
    this.#tellEnd();
  }

  async #send(batch: Batch): Promise<void> {
    const [service = ''] = this.#input.words;
    const key = batch.number === 1 ? this.#key : `${this.#key}/${batch.number}`;
    const post = () => this.#client.createReports(service, bytesOf(batch), key);
    for await (const answer of answersTo(batch, post)) this.#take(answer, batch);
  }

  #take(answer: BatchLine, { lines }: Batch): void {
    const sent = lines[answer.line - 1];
    if (sent === undefined) return;
    const told = { ...answer, line: sent.line };
    this.#bytes += sentBytes(sent);
    if (!answer.successful) this.#refuse(told);
    else if (answer.replayed) this.#replayed += 1;
    else this.#created += 1;
    if (this.#input.options['ndjson'] === true) process.stdout.write(`${JSON.stringify(told)}\n`);
    this.#bar.show(this.#bytes, this.#answered);
  }

  #refuse({ line, error = '', code = '' }: BatchLine): void {
    this.#refused += 1;
    if (this.#refusals.length >= MAX_REFUSALS) return;
    this.#refusals.push({ line, error, code });
    this.#bar.clear();
    // A refusal may quote the line, which can hold anything.
    this.#input.tell(`line ${line}: ${visible(error)}`);
  }

  #brokenOff(cause: unknown): unknown {
    this.#bar.clear();
    const isDoubtful = cause instanceof RapsheetError && cause.code === 'no_answer';
    if (isDoubtful || this.#answered > 0) this.#input.tell(`It broke off; ${goOn(this.#key)}.`);
    return cause;
  }

  #tellEnd(): void {
    this.#bar.clear();
    const more = this.#refused - this.#refusals.length;
    if (more > 0) this.#input.tell(`… and ${more} more refused lines`);
  }

  get #answered(): number {
    return this.#created + this.#replayed + this.#refused;
  }
}

/** What a source throws that was stopped. */
function isAbort(cause: unknown): boolean {
  return cause instanceof Error && cause.name === 'AbortError';
}

function goOn(key: string): string {
  return `run it again with --key ${JSON.stringify(key)}, and what was taken is not taken twice`;
}

function describe({ created, replayed, refused }: BulkSummary): string {
  return `${created} created, ${replayed} taken before, ${refused} refused`;
}
