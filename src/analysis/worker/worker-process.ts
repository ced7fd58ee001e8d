import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { LIMITS } from '../limits.ts';
import { shownText } from '../printable-text.ts';
import { checkAnswer } from './check-answer.ts';
import { encodeHeader, FrameReader } from './frames.ts';
import { covered, wordsFor } from './inherited-descriptors.ts';
import type { Answer, Order } from './messages.ts';

/** What it last said on standard error, for the log. */
const LAST_WORDS_BYTES = 2048;
const MESSAGE_LENGTH = 300;
/** For one that has nothing more to do, to end by itself. */
const END_WITHIN_MS = 5000;

/** Why a worker gave no answer. The message may come from the worker, so it is cut and made visible. */
export class WorkerGone extends Error {
  readonly failure: 'timeout' | 'crashed' | 'bad-report';

  constructor(failure: WorkerGone['failure'], message: string) {
    super(shownText(message, MESSAGE_LENGTH));
    this.failure = failure;
  }
}

/** One isolated child process. Whatever goes wrong with it ends it; it is never mended, only replaced. */
export class WorkerProcess {
  /** `undefined` where the system had no room for another. */
  readonly #child: ChildProcess | undefined;
  readonly #answers = new FrameReader(LIMITS.answerBytes);
  readonly #gone = Promise.withResolvers<void>();
  #lastWords = '';
  #end: WorkerGone | undefined;
  #settle: ((answer: Answer | WorkerGone) => void) | undefined;
  /** Called when more may be written, or nobody is left to read it. */
  #proceed: () => void = () => undefined;

  constructor(command: readonly string[]) {
    try {
      this.#child = start(command);
    } catch (cause) {
      this.#finish((cause as Error).message);
      return;
    }
    const { stdin, stderr, stdio } = this.#child;
    this.#child.on('error', (cause) => this.#finish(cause.message));
    this.#child.once('close', (code, signal) => this.#finish(`it ended with ${signal ?? code}`));
    // Where there are no descriptors left, there are no pipes either; the error above follows.
    stdin?.on('drain', () => this.#proceed());
    stderr?.setEncoding('latin1').on('data', (words: string) => {
      this.#lastWords = (this.#lastWords + words).slice(-LAST_WORDS_BYTES);
    });
    const answers = stdio?.[3] as Readable | undefined;
    answers?.on('data', (piece: Buffer) => this.#hear(piece));
    // A pipe breaks because its other end is gone, which is told by the end of the process.
    for (const pipe of [stdin, stderr, answers]) pipe?.on('error', () => undefined);
  }

  /** Settled when nothing is left of it. */
  get gone(): Promise<void> {
    return this.#gone.promise;
  }

  get isGone(): boolean {
    return this.#end !== undefined;
  }

  /** Sends an order and its bytes, and waits for the answer. Rejects with `WorkerGone`, or what the bytes threw. */
  async ask(order: Order, bytes: AsyncIterable<Uint8Array>, timeoutMs: number): Promise<Answer> {
    const timer = setTimeout(
      () => this.#break('timeout', `it took longer than ${timeoutMs / 1000} seconds`),
      timeoutMs,
    );
    const answered = new Promise<Answer | WorkerGone>((resolve) => {
      if (this.#end === undefined) this.#settle = resolve;
      else resolve(this.#end);
    });
    try {
      await this.#send(encodeHeader(order as object));
      for await (const piece of exactly(bytes, 'sizeBytes' in order ? order.sizeBytes : 0))
        await this.#send(piece);
      const answer = await answered;
      if (answer instanceof WorkerGone) throw answer;
      return answer;
    } catch (cause) {
      // Half of a sample was sent: there is no way back to the beginning of an order.
      this.kill();
      throw cause;
    } finally {
      clearTimeout(timer);
      this.#settle = undefined;
    }
  }

  /** Lets it end by itself, since it gets no more orders; one that stays is ended. */
  end(): void {
    this.#end ??= new WorkerGone('crashed', 'it was ended');
    this.#orders?.end();
    const timer = setTimeout(() => this.kill(), END_WITHIN_MS);
    timer.unref();
    void this.gone.then(() => clearTimeout(timer));
  }

  /** Ends it and everything that it started. */
  kill(): void {
    // From now on nobody may give it anything more.
    this.#end ??= new WorkerGone('crashed', 'it was ended');
    const { pid, exitCode = null, signalCode = null } = this.#child ?? {};
    if (pid === undefined || exitCode !== null || signalCode !== null) return;
    try {
      process.kill(-pid, 'SIGKILL');
    } catch {
      // It was gone already.
    }
  }

  get #orders(): Writable | null | undefined {
    return this.#child?.stdin;
  }

  async #send(bytes: Uint8Array): Promise<void> {
    if (this.#end === undefined && this.#orders?.write(bytes) !== true)
      await new Promise<void>((resolve) => {
        this.#proceed = resolve;
      });
    if (this.#end !== undefined) throw this.#end;
  }

  #hear(piece: Buffer): void {
    try {
      for (const header of this.#answers.push(piece)) {
        const answer = checkAnswer(header);
        if (typeof answer === 'string') throw new Error(answer);
        // Kept for later it would be taken for the answer about another sample.
        if (this.#settle === undefined) throw new Error('it answered what nobody had asked');
        this.#settle(answer);
        this.#settle = undefined;
      }
    } catch (cause) {
      this.#break('bad-report', (cause as Error).message);
    }
  }

  #break(failure: WorkerGone['failure'], message: string): void {
    this.#end ??= new WorkerGone(failure, message);
    this.#settle?.(this.#end);
    this.kill();
  }

  #finish(message: string): void {
    const words = lastSentence(this.#lastWords);
    this.#end ??= new WorkerGone('crashed', words ? `${message}: ${words}` : message);
    this.#settle?.(this.#end);
    this.#proceed();
    this.#gone.resolve();
  }
}

/** Orders, nothing, its last words, answers. */
const STREAMS = ['pipe', 'ignore', 'pipe', 'pipe'] as const;

function start([program = '', ...words]: readonly string[]): ChildProcess {
  return spawn(program, [...words, ...wordsFor(STREAMS)], {
    // An environment of its own: no setting and no secret of ours.
    env: { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' },
    stdio: covered(STREAMS),
    detached: true,
  });
}

/** Node says what was wrong, then where, then its own version. */
function lastSentence(words: string): string | undefined {
  return words
    .split('\n')
    .findLast((line) => /^\S/.test(line) && !/^(?:Node\.js v|\}|\^)/.test(line))
    ?.trim();
}

/** The bytes, if they are as many as was said: the worker would take what follows for the rest of them. */
async function* exactly(
  bytes: AsyncIterable<Uint8Array>,
  count: number,
): AsyncGenerator<Uint8Array> {
  let left = count;
  for await (const piece of bytes) {
    left -= piece.length;
    if (left < 0) break;
    yield piece;
  }
  if (left !== 0) throw new Error(`the sample does not have the ${count} bytes that it should`);
}
