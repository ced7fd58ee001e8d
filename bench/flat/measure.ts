import { median } from '../verdicts.ts';
import type { FlatServer } from './client.ts';
import type { FlatCase } from './flat-case.ts';

export interface FlatPlan {
  readonly rounds: number;
  /** CPU time of a round of calls, if their number is not restricted. */
  readonly roundMs: number;
}

/** Enough to compile the code of most operations. */
const TRIAL_CALLS = 300;
const MAX_CALLS = 1500;

interface Progress {
  readonly server: FlatServer;
  readonly micros: number[];
  number: number;
}

/**
 * Returns the CPU time of a call in µs for each server, the median over the rounds. The rounds
 * alternate between the servers, so that a change in the speed of the machine affects all.
 */
export async function measureCase(
  flatCase: FlatCase,
  servers: readonly FlatServer[],
  plan: FlatPlan,
): Promise<readonly number[]> {
  const all = servers.map((server): Progress => ({ server, micros: [], number: 0 }));
  const trials: number[] = [];
  for (const one of all) trials.push(await round(flatCase, one, flatCase.calls ?? TRIAL_CALLS));
  const enough = Math.ceil((plan.roundMs * 1000) / Math.min(...trials));
  const calls = flatCase.calls ?? Math.min(MAX_CALLS, Math.max(20, enough));
  for (let done = 0; done < plan.rounds; done += 1)
    for (const one of all) one.micros.push(await round(flatCase, one, calls));
  return all.map(({ micros }) => median(micros));
}

/** Makes the calls one after the other, and returns the CPU time of one in µs. */
async function round(flatCase: FlatCase, progress: Progress, calls: number): Promise<number> {
  const { server } = progress;
  const ids = (await flatCase.prepare?.(server, calls)) ?? [];
  const before = server.process.cpuNanos();
  for (let done = 0; done < calls; done += 1) {
    const context = { server, number: progress.number, id: ids[done] ?? '' };
    await server.send({ method: 'GET', ...flatCase.call(context) });
    progress.number += 1;
  }
  return (server.process.cpuNanos() - before) / calls / 1000;
}
