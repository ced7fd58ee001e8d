import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { checkAnswer } from './check-answer.ts';
import { encodeHeader, FrameReader } from './frames.ts';
import { LIMITS } from './limits.ts';
import type { Answer, Order } from './messages.ts';

/** What it last said on standard error, for the log. */
const LAST_WORDS_BYTES = 2048;

/** Why a worker gave no answer. */
export class WorkerGone extends Error {
  readonly failure: 'timeout' | 'crashed' | 'bad-report';

  constructor(failure: WorkerGone['failure'], message: string) {
    super(message);
    this.failure = failure;
  }
}

/** One isolated child process. Whatever goes wrong with it ends it; it is never mended, only replaced. */
export class WorkerProcess {
  readonly #child: ChildProcess;
  readonly #orders: Writable;
  readonly #answers = new FrameReader(LIMITS.answerBytes);
  readonly gone: Promise<void>;
  #lastWords = '';
  #end: WorkerGone | undefined;
  #settle: ((answer: Answer | WorkerGone) => void) | undefined;

  constructor(command: readonly string[]) {
    const [program = '', ...words] = command;
    // An environment of its own: no setting and no secret of ours.
    const child = spawn(program, words, {
      env: { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' },
      stdio: ['pipe', 'ignore', 'pipe', 'pipe'],
      detached: true,
    });
    this.#child = child;
    // Both are there: the line above asks for pipes.
    this.#orders = child.stdin as Writable;
    this.#orders.on('error', () => undefined);
    child.stderr?.setEncoding('latin1').on('data', (words: string) => {
      this.#lastWords = (this.#lastWords + words).slice(-LAST_WORDS_BYTES);
    });
    (child.stdio[3] as Readable).on('data', (piece: Buffer) => this.#hear(piece));
    this.gone = new Promise((resolve) => {
      child.once('error', (cause) => this.#finish('crashed', cause.message, resolve));
      child.once('close', (code, signal) =>
        this.#finish('crashed', `it ended with ${signal ?? code}`, resolve),
      );
    });
  }

  get isGone(): boolean {
    return this.#end !== undefined;
  }

  /** Lets the process that owns it end although this one still runs. */
  unref(): void {
    this.#child.unref();
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

  /** Lets it finish what it does, and end. */
  end(): void {
    this.#orders.end();
  }

  /** Ends it and everything that it started. */
  kill(): void {
    // From now on nobody may give it anything more.
    this.#end ??= new WorkerGone('crashed', 'it was ended');
    const { pid } = this.#child;
    if (pid === undefined || this.#child.exitCode !== null || this.#child.signalCode !== null)
      return;
    try {
      process.kill(-pid, 'SIGKILL');
    } catch {
      // It was gone already.
    }
  }

  async #send(bytes: Uint8Array): Promise<void> {
    if (this.#end !== undefined) throw this.#end;
    if (this.#orders.write(bytes)) return;
    await Promise.race([once(this.#orders, 'drain'), this.gone]);
  }

  #hear(piece: Buffer): void {
    try {
      for (const header of this.#answers.push(piece)) {
        const answer = checkAnswer(header);
        if (typeof answer === 'string') throw new Error(answer);
        this.#settle?.(answer);
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

  #finish(failure: WorkerGone['failure'], message: string, resolve: () => void): void {
    const words = this.#lastWords.trim().split('\n').at(-1);
    this.#end ??= new WorkerGone(failure, words ? `${message}: ${words}` : message);
    this.#settle?.(this.#end);
    resolve();
  }
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
