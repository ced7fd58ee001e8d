import type { Browser, Page } from 'playwright-core';
import type { Verdicts } from '../verdicts.ts';

/** A task of the main thread of a page. */
export interface Task {
  readonly elapsedMs: number;
  /** The time on a core. Other work on the machine makes only the elapsed time longer. */
  readonly cpuMs: number;
}

interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  /** In microseconds. */
  readonly dur?: number;
  readonly tdur?: number;
  readonly args: { readonly name?: string };
}

const MAX_TASK_MS = 50;

/** Runs `work` and returns the tasks that the main threads of all pages ran during it. */
export async function tasksDuring(
  browser: Browser,
  page: Page,
  work: () => Promise<void>,
): Promise<readonly Task[]> {
  await browser.startTracing(page, { categories: ['toplevel', '__metadata'] });
  let trace: Buffer;
  try {
    await work();
  } finally {
    trace = await browser.stopTracing();
  }
  return parseTasks(JSON.parse(trace.toString()).traceEvents);
}

function parseTasks(events: readonly TraceEvent[]): readonly Task[] {
  const mainThreads = new Set(
    events.filter(({ args }) => args.name === 'CrRendererMain').map(threadOf),
  );
  return events
    .filter(({ name }) => name === 'ThreadControllerImpl::RunTask')
    .filter((event) => mainThreads.has(threadOf(event)))
    .map(({ dur = 0, tdur = 0 }) => ({ elapsedMs: dur / 1000, cpuMs: tdur / 1000 }));
}

function threadOf({ pid, tid }: TraceEvent): string {
  return `${pid}/${tid}`;
}

export function longestTask(tasks: readonly Task[], unit: keyof Task): number {
  return Math.max(0, ...tasks.map((task) => task[unit]));
}

/**
 * Judges the CPU time: on a machine with other work the elapsed time measures that work too. Both
 * are printed.
 */
export function judgeTasks(verdicts: Verdicts, doing: string, tasks: readonly Task[]): void {
  const long = (unit: keyof Task) => tasks.filter((task) => task[unit] > MAX_TASK_MS).length;
  console.log(
    `${tasks.length} tasks; ${long('cpuMs')} over ${MAX_TASK_MS} ms of CPU time; ${long('elapsedMs')} elapsed, the longest ${longestTask(tasks, 'elapsedMs').toFixed(0)} ms`,
  );
  verdicts.add(`longest task ${doing}, CPU ms`, longestTask(tasks, 'cpuMs'), MAX_TASK_MS, 'less');
}
