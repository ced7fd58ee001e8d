import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What the kernel reports about a worker. */
export interface ProcessTimes {
  /** The processor time that it has used since the first reading. */
  readonly processorMs: number;
  /** Whether one of its threads runs, waits for a processor, or waits for the disk. */
  readonly isActive: boolean;
}

/** `USER_HZ` is 100 on all architectures that Node runs on. */
const TICK_MS = 10;
const ACTIVE = new Set(['R', 'D']);

interface Stat {
  readonly pid: number;
  readonly parent: number;
  readonly state: string;
  readonly processorMs: number;
}

/**
 * Reads the times of a worker from `/proc`. Programs of the chain may start the worker as a child,
 * so its descendants are counted. Finding them takes milliseconds: they are looked for at first,
 * and whenever the known ones do nothing.
 */
export class WorkerTimes {
  readonly #pid: number;
  readonly #folder: string;
  /** The processes and the time that each had used at the last reading. */
  #known = new Map<number, number>();
  #processorMs = 0;
  #isComplete = false;

  constructor(pid: number, folder = '/proc') {
    this.#pid = pid;
    this.#folder = folder;
  }

  /** `undefined` on systems without `/proc`, and after the process has exited. */
  read(): ProcessTimes | undefined {
    const pids = this.#isComplete ? [...this.#known.keys()] : this.#family();
    const stats = pids.flatMap((pid) => this.#stat(`${pid}`) ?? []);
    if (stats.length === 0) return undefined;
    const before = this.#processorMs;
    for (const { pid, processorMs } of stats)
      this.#processorMs += processorMs - (this.#known.get(pid) ?? processorMs);
    this.#known = new Map(stats.map(({ pid, processorMs }) => [pid, processorMs]));
    const isActive =
      stats.some(({ state }) => ACTIVE.has(state)) ||
      this.#processorMs > before ||
      stats.some(({ pid }) => this.#hasActiveThread(pid));
    this.#isComplete = isActive;
    return { processorMs: this.#processorMs, isActive };
  }

  #family(): readonly number[] {
    const stats = this.#numbersIn('').flatMap((pid) => this.#stat(`${pid}`) ?? []);
    const found = [this.#pid];
    for (const ancestor of found)
      for (const { pid, parent } of stats) if (parent === ancestor) found.push(pid);
    return found;
  }

  /**
   * The state of a process is that of its first thread, which waits for the others while they
   * collect garbage or unpack.
   */
  #hasActiveThread(pid: number): boolean {
    const threads = this.#numbersIn(`${pid}/task`);
    return threads.some((thread) => ACTIVE.has(this.#stat(`${pid}/task/${thread}`)?.state ?? ''));
  }

  #numbersIn(path: string): readonly number[] {
    try {
      return readdirSync(join(this.#folder, path))
        .filter((name) => /^\d+$/.test(name))
        .map(Number);
    } catch {
      return [];
    }
  }

  /**
   * `pid (name) state parent …`, with user and system time as the 14th and 15th field (proc(5)).
   * The name may contain spaces and brackets.
   */
  #stat(path: string): Stat | undefined {
    try {
      const text = readFileSync(join(this.#folder, path, 'stat'), 'latin1');
      const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
      const [state = '', parent] = fields;
      const ticks = Number(fields[11]) + Number(fields[12]);
      const pid = Number.parseInt(text, 10);
      return { pid, state, parent: Number(parent), processorMs: ticks * TICK_MS };
    } catch {
      return undefined;
    }
  }
}
