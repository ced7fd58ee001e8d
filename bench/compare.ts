import { connect } from 'node:net';
import { type Load, type LoadPlan, load, type RunningServer } from './processes.ts';
import { median } from './verdicts.ts';

export interface Side {
  readonly server: RunningServer;
  readonly requests: string;
}

export interface Comparison {
  /** Of the first to the second, each the median over the rounds. */
  readonly rate: number;
  readonly p99: number;
  /** Processor time a request of the second to that of the first. */
  readonly cpu: number;
  readonly first: Sum;
  readonly second: Sum;
}

export interface Sum {
  readonly rate: number;
  readonly p99: number;
  readonly cpuMicros: number;
  readonly residentMb: number;
  readonly statuses: Readonly<Record<string, number>>;
}

export interface ComparePlan extends LoadPlan {
  readonly rounds: number;
}

interface Round extends Load {
  readonly cpuMicros: number;
}

/**
 * Drives two servers in turns. Machines, and virtual ones above all, are faster and slower from
 * minute to minute: only what was measured next to each other can be compared, so each round gives
 * a ratio of its own.
 */
export async function compare(first: Side, second: Side, plan: ComparePlan): Promise<Comparison> {
  for (const { server, requests } of [first, second]) {
    await load(server.port, requests, { ...plan, warmUpSeconds: 0, seconds: plan.warmUpSeconds });
  }
  const rounds: (readonly [Round, Round])[] = [];
  for (let round = 0; round < plan.rounds; round += 1) {
    rounds.push([await measure(first, plan), await measure(second, plan)]);
  }
  const ratio = (of: (round: Round) => number) =>
    median(rounds.map(([one, other]) => of(one) / of(other)));
  return {
    rate: ratio(({ rate }) => rate),
    p99: ratio(({ p99 }) => p99),
    cpu: 1 / ratio(({ cpuMicros }) => cpuMicros),
    first: sum(
      rounds.map(([one]) => one),
      first.server,
    ),
    second: sum(
      rounds.map(([, other]) => other),
      second.server,
    ),
  };
}

async function measure({ server, requests }: Side, plan: ComparePlan): Promise<Round> {
  const cpuBefore = server.cpuMs();
  const round = await load(server.port, requests, { ...plan, warmUpSeconds: 0.2 });
  return { ...round, cpuMicros: ((server.cpuMs() - cpuBefore) * 1000) / round.answered };
}

function sum(rounds: readonly Round[], server: RunningServer): Sum {
  const statuses: Record<string, number> = {};
  for (const round of rounds) {
    for (const [status, count] of Object.entries(round.statuses))
      statuses[status] = (statuses[status] ?? 0) + count;
  }
  return {
    rate: median(rounds.map(({ rate }) => rate)),
    p99: median(rounds.map(({ p99 }) => p99)),
    cpuMicros: median(rounds.map(({ cpuMicros }) => cpuMicros)),
    residentMb: server.residentMb(),
    statuses,
  };
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * The bytes that a server answers, for the bare one to send as well; what Node adds itself it adds
 * there too.
 */
export function capture(port: number, request: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(request));
    socket.on('error', reject);
    socket.once('data', (bytes) => {
      socket.destroy();
      const [head = '', body = ''] = bytes.toString().split('\r\n\r\n');
      const [first = '', ...lines] = head.split('\r\n');
      const headers = lines.map(
        (line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)] as const,
      );
      const own = headers.filter(([name]) => !['Date', 'Connection', 'Keep-Alive'].includes(name));
      resolve({ status: Number(first.slice(9, 12)), headers: Object.fromEntries(own), body });
    });
  });
}
