import { type Load, type LoadPlan, load, type RunningServer } from './processes.ts';
import { median } from './verdicts.ts';

/** One of the servers that are loaded alternately. */
export interface LoadedServer {
  readonly name: string;
  readonly server: RunningServer;
  /** Called before each load, so that loads can write different rows. Returns a file. */
  requests(): string;
  readonly plan?: Partial<LoadPlan>;
}

export interface RoundsPlan extends LoadPlan {
  readonly rounds: number;
}

export interface Result {
  readonly rate: number;
  readonly p99: number;
  readonly cpuMicros: number;
  /** CPU time of the load generator per request. */
  readonly loadMicros: number;
  /** CPU time per request, as a multiple of the first server's in the same round. */
  readonly toFirst: number;
  readonly residentMb: number;
}

interface Round extends Load {
  readonly cpuMicros: number;
}

/**
 * The code is compiled step by step. Two steps in a row that gain less than this end the warm-up:
 * after one, a lookup could still take half as long again as after 100,000 requests.
 */
const LEAST_GAIN = 0.03;
const STEPS_WITHOUT_GAIN = 2;
const STEP_SECONDS = 2;

/**
 * Loads servers alternately. The speed of a machine, a virtual one above all, changes from minute
 * to minute. Only adjacent measurements are comparable, so each round yields its own ratios.
 */
export async function measureRounds(
  servers: readonly LoadedServer[],
  plan: RoundsPlan,
): Promise<readonly Result[]> {
  for (const server of servers) await warmUp(server, plan);
  const rounds: Round[][] = [];
  for (let round = 1; round <= plan.rounds; round += 1) {
    const results: Round[] = [];
    for (const server of servers) results.push(await measure(server, plan));
    rounds.push(results);
  }
  return servers.map(({ server }, index) => {
    const own = rounds.map((results) => results[index] as Round);
    const first = rounds.map(([result]) => result as Round);
    return {
      rate: median(own.map(({ rate }) => rate)),
      p99: median(own.map(({ p99 }) => p99)),
      cpuMicros: median(own.map(({ cpuMicros }) => cpuMicros)),
      loadMicros: median(own.map(({ loadMicros }) => loadMicros)),
      toFirst: median(own.map((one, at) => one.cpuMicros / (first[at]?.cpuMicros ?? Number.NaN))),
      residentMb: server.residentMb(),
    };
  });
}

/** Loads a server until another step no longer lowers the CPU time of a request. */
async function warmUp(server: LoadedServer, plan: RoundsPlan): Promise<void> {
  let least = Number.POSITIVE_INFINITY;
  let withoutGain = 0;
  // A load that ends by count takes as long as it takes.
  const seconds = server.plan?.once ? 2 * STEP_SECONDS : plan.warmUpSeconds;
  for (let done = 0; done < seconds; done += STEP_SECONDS) {
    const step = { ...plan, warmUpSeconds: 0, seconds: STEP_SECONDS };
    const { cpuMicros } = await measure(server, step);
    withoutGain = cpuMicros > least * (1 - LEAST_GAIN) ? withoutGain + 1 : 0;
    if (withoutGain === STEPS_WITHOUT_GAIN) return;
    least = Math.min(least, cpuMicros);
  }
}

async function measure(
  { name, server, requests, plan: ownPlan }: LoadedServer,
  plan: LoadPlan,
): Promise<Round> {
  const file = requests();
  const cpuBefore = server.cpuMs();
  const result = await load(server.port, file, { ...plan, warmUpSeconds: 0.2, ...ownPlan });
  const refused = Object.keys(result.statuses).filter((status) => !status.startsWith('2'));
  if (refused.length > 0) throw new Error(`${name}: ${JSON.stringify(result.statuses)}`);
  return { ...result, cpuMicros: ((server.cpuMs() - cpuBefore) * 1000) / result.answered };
}
