import type { ChildProcess } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { LIMITS } from '../limits.ts';
import { printableText } from '../printable-text.ts';
import { encodeHeader, FrameReader } from './frames.ts';
import type { WorkerCommand } from './isolation/chains.ts';
import type { WorkerRequest, WorkerResponse } from './messages.ts';
import { WorkerTimes } from './process-times.ts';
import { spawnWorker } from './spawn-worker.ts';
import { type TimeLimits, TimeWatch } from './time-watch.ts';
import { validateResponse } from './validate-response.ts';

/** The end of its standard error, for the log. */
const STDERR_TAIL_BYTES = 2048;
const MESSAGE_LENGTH = 300;
/** How long a worker without work may take to exit. */
const EXIT_TIMEOUT_MS = 5000;
/** Most requests end before the first. */
const CHECK_INTERVAL_MS = 1000;

/**
 * Why a worker returned no response. The message may come from the worker, so it is cut and
 * escaped.
 */
export class WorkerError extends Error {
  readonly failure: 'timeout' | 'crashed' | 'bad-report';

  constructor(failure: WorkerError['failure'], message: string) {
    super(printableText(message, MESSAGE_LENGTH));
    this.failure = failure;
  }
}

/** One isolated child process. Any failure ends it: a worker is never repaired, only replaced. */
export class WorkerProcess {
  /** `undefined` if the system could not start it. */
  readonly #child: ChildProcess | undefined;
  readonly #times: WorkerTimes | undefined;
  readonly #responses = new FrameReader(LIMITS.responseBytes);
  readonly #exited = Promise.withResolvers<void>();
  #stderrTail = '';
  #end: WorkerError | undefined;
  #settle: ((response: WorkerResponse | WorkerError) => void) | undefined;
  /** Called when the pipe accepts more, or the process has exited. */
  #resumeSending: () => void = () => undefined;
  #watch: TimeWatch | undefined;

  /** Takes a process that was started before, or starts one. */
  constructor(command: WorkerCommand, started?: ChildProcess) {
    try {
      this.#child = started ?? spawnWorker(command);
    } catch (cause) {
      this.#onExit((cause as Error).message);
      return;
    }
    const { pid, stdin, stderr, stdio } = this.#child;
    this.#times = pid === undefined ? undefined : new WorkerTimes(pid);
    // Its events may have been emitted before.
    if (started !== undefined && hasExited(started)) this.#onExit('it could not be started');
    this.#child.on('error', (cause) => this.#onExit(cause.message));
    this.#child.once('close', (code, signal) => this.#onExit(describeEnd(code, signal)));
    // Without free descriptors there are no pipes either; the `error` event follows.
    stdin?.on('drain', () => this.#resumeSending());
    stderr?.setEncoding('latin1').on('data', (text: string) => {
      this.#stderrTail = (this.#stderrTail + text).slice(-STDERR_TAIL_BYTES);
    });
    const responses = stdio?.[3] as Readable | undefined;
    responses?.on('data', (chunk: Buffer) => this.#receive(chunk));
    // A broken pipe means that the process is exiting, which `close` reports.
    for (const pipe of [stdin, stderr, responses]) pipe?.on('error', () => undefined);
  }

  /** Resolves when the process has exited and its pipes are closed. */
  get exited(): Promise<void> {
    return this.#exited.promise;
  }

  get hasEnded(): boolean {
    return this.#end !== undefined;
  }

  /**
   * Sends a request with its bytes and returns the response. Rejects with `WorkerError`, or with
   * the error of `bytes`.
   */
  async request(
    request: WorkerRequest,
    bytes: AsyncIterable<Uint8Array>,
    limits: TimeLimits,
  ): Promise<WorkerResponse> {
    const timer = this.#startWatch(limits);
    const responded = new Promise<WorkerResponse | WorkerError>((resolve) => {
      if (this.#end === undefined) this.#settle = resolve;
      else resolve(this.#end);
    });
    try {
      await this.#send(encodeHeader(request as object));
      for await (const chunk of exactBytes(bytes, request.sizeBytes ?? 0)) await this.#send(chunk);
      const response = await responded;
      if (response instanceof WorkerError) throw response;
      return response;
    } catch (cause) {
      // A partly sent request leaves the stream out of step.
      this.kill();
      throw cause;
    } finally {
      clearInterval(timer);
      this.#watch = undefined;
      this.#settle = undefined;
    }
  }

  #startWatch(limits: TimeLimits): NodeJS.Timeout {
    const watch = new TimeWatch(limits, performance.now());
    this.#watch = watch;
    return setInterval(
      () => {
        const excess = watch.excess(performance.now(), this.#times?.read());
        if (excess !== undefined) this.#fail('timeout', excess);
      },
      Math.min(CHECK_INTERVAL_MS, limits.elapsedMs),
    );
  }

  /** Closes the pipe so that the worker exits; kills it if it does not. */
  end(): void {
    this.#end ??= new WorkerError('crashed', 'it was ended');
    this.#requests?.end();
    const timer = setTimeout(() => this.kill(), EXIT_TIMEOUT_MS);
    timer.unref();
    void this.exited.then(() => clearTimeout(timer));
  }

  /** Kills the worker and its children. */
  kill(): void {
    // No further request may be sent.
    this.#end ??= new WorkerError('crashed', 'it was ended');
    // The signal misses a worker that is just starting: bubblewrap puts it into a session of its
    // own before it ties it to its parent. Such a worker exits because its requests end.
    this.#requests?.destroy();
    const child = this.#child;
    if (child?.pid === undefined || hasExited(child)) return;
    try {
      process.kill(-child.pid, 'SIGKILL');
    } catch {
      // Already exited.
    }
  }

  get #requests(): Writable | null | undefined {
    return this.#child?.stdin;
  }

  async #send(bytes: Uint8Array): Promise<void> {
    this.#watch?.sent(performance.now());
    if (this.#end === undefined && this.#requests?.write(bytes) !== true)
      await new Promise<void>((resolve) => {
        this.#resumeSending = resolve;
      });
    if (this.#end !== undefined) throw this.#end;
  }

  #receive(chunk: Buffer): void {
    try {
      for (const header of this.#responses.push(chunk)) {
        const response = validateResponse(header);
        if (typeof response === 'string') throw new Error(response);
        // Killed, but not exited yet.
        if (this.#end !== undefined) return;
        // A stored response would be returned for the next sample.
        if (this.#settle === undefined)
          throw new Error('the worker sent a response without a request');
        this.#settle(response);
        this.#settle = undefined;
      }
    } catch (cause) {
      this.#fail('bad-report', (cause as Error).message);
    }
  }

  #fail(failure: WorkerError['failure'], message: string): void {
    this.#end ??= new WorkerError(failure, message);
    this.#settle?.(this.#end);
    this.kill();
  }

  #onExit(message: string): void {
    const detail = lastErrorLine(this.#stderrTail);
    this.#end ??= new WorkerError('crashed', detail ? `${message}: ${detail}` : message);
    this.#settle?.(this.#end);
    this.#resumeSending();
    this.#exited.resolve();
  }
}

/** `SIGSYS`, and how bubblewrap reports it. */
const KILLED_BY_FILTER: readonly (NodeJS.Signals | number | null)[] = ['SIGSYS', 128 + 31];

function describeEnd(code: number | null, signal: NodeJS.Signals | null): string {
  const end = signal ?? code;
  return KILLED_BY_FILTER.includes(end)
    ? 'it was killed because it made a forbidden system call'
    : `it ended with ${end}`;
}

function hasExited({ pid, exitCode, signalCode }: ChildProcess): boolean {
  return pid === undefined || exitCode !== null || signalCode !== null;
}

/** Node prints the error, then the stack, then its version. */
function lastErrorLine(text: string): string | undefined {
  return text
    .split('\n')
    .findLast((line) => /^\S/.test(line) && !/^(?:Node\.js v|\}|\^)/.test(line))
    ?.trim();
}

/**
 * Passes the bytes on if there are exactly `count`: otherwise the worker would read the following
 * frame as part of them.
 */
async function* exactBytes(
  bytes: AsyncIterable<Uint8Array>,
  count: number,
): AsyncGenerator<Uint8Array> {
  let remaining = count;
  for await (const chunk of bytes) {
    remaining -= chunk.length;
    if (remaining < 0) break;
    yield chunk;
  }
  if (remaining !== 0)
    throw new Error(`the sample does not have the ${count} bytes that it should`);
}
