import { connect } from 'node:net';
import { type Load, type LoadPlan, load, type RunningServer } from './processes.ts';
import { median } from './verdicts.ts';

export interface Side {
  readonly server: RunningServer;
  readonly requests: string;
}

export interface Comparison {
  /** Ratio of the first server to the second; the median over the rounds, like `p99`. */
  readonly rate: number;
  readonly p99: number;
  /** CPU time per request: the second server's divided by the first's. */
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
 * Loads two servers alternately. The speed of a machine, a virtual one above all, changes from
 * minute to minute. Only adjacent measurements are comparable, so each round yields its own ratio.
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
 * Captures the response of a server for the bare server to send. Headers that Node adds by itself
 * are left out, because the bare server adds them too.
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
      const ownHeaders = headers.filter(
        ([name]) => !['Date', 'Connection', 'Keep-Alive'].includes(name),
      );
      resolve({
        status: Number(first.slice(9, 12)),
        headers: Object.fromEntries(ownHeaders),
        body,
      });
    });
  });
}
