import { readFileSync } from 'node:fs';
import type { TestDatabase } from '../../test/postgres.ts';
import { childrenOf } from '../cpu-share.ts';
import type { RunningServer } from '../processes.ts';

const TICK_MS = 10;

/** The CPU time of a process, in milliseconds: fields 14 and 15 of proc(5). */
function cpuMsOf(pid: number, { withEndedChildren = false } = {}): number {
  // The command before the other fields may contain spaces.
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  const ticks = fields.slice(11, withEndedChildren ? 15 : 13).map(Number);
  return TICK_MS * ticks.reduce((sum, one) => sum + one, 0);
}

/** The CPU time of the processes of PostgreSQL, in milliseconds, by kind. */
export type PostgresCpu = Readonly<Record<string, number>>;

/** Returns how to read it. */
export async function postgresCpu(database: TestDatabase): Promise<() => PostgresCpu> {
  const [row] = await database.run(
    "select split_part(pg_read_file('postmaster.pid'), chr(10), 1)::int as pid",
  );
  const first = Number(row?.['pid']);
  return () => {
    const byKind: Record<string, number> = {
      // Processes that have ended, such as those of autovacuum, count as the first one.
      postmaster: cpuMsOf(first, { withEndedChildren: true }),
    };
    for (const pid of childrenOf(first)) {
      const kind = kindOf(pid);
      byKind[kind] = (byKind[kind] ?? 0) + cpuMsOf(pid);
    }
    return byKind;
  };
}

/** PostgreSQL sets the title of a process to its kind, or the client of a backend. */
function kindOf(pid: number): string {
  const title = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')[0] ?? '';
  if (/\(\d+\)/.test(title)) return 'backends';
  return /^postgres: ([a-z]+(?: [a-z]+)*)/.exec(title)?.[1] ?? 'others';
}

interface Reading {
  readonly node: number;
  readonly database: PostgresCpu;
}

/**
 * A server whose CPU time includes that of PostgreSQL. It is read before and after each
 * measurement, so the shares of both are known, too.
 */
export class ServerWithDatabase implements RunningServer {
  readonly #server: RunningServer;
  readonly #databaseMs: () => PostgresCpu;
  readonly #readings: Reading[] = [];

  constructor(server: RunningServer, databaseMs: () => PostgresCpu) {
    this.#server = server;
    this.#databaseMs = databaseMs;
  }

  get pid() {
    return this.#server.pid;
  }

  get port() {
    return this.#server.port;
  }

  get startedInMs() {
    return this.#server.startedInMs;
  }

  residentMb(): number {
    return this.#server.residentMb();
  }

  cpuMs(): number {
    const reading = { node: this.#server.cpuMs(), database: this.#databaseMs() };
    this.#readings.push(reading);
    return reading.node + sum(reading.database);
  }

  cpuNanos(): number {
    return this.#server.cpuNanos() + sum(this.#databaseMs()) * 1e6;
  }

  /** The share of each kind of process in the CPU time of the last measurements. */
  shares(measurements: number): ReadonlyMap<string, number> {
    const times = new Map([['node', 0]]);
    const add = (kind: string, ms: number) => times.set(kind, (times.get(kind) ?? 0) + ms);
    const readings = this.#readings.slice(-2 * measurements);
    for (let index = 1; index < readings.length; index += 2) {
      const [before, after] = readings.slice(index - 1) as [Reading, Reading];
      add('node', after.node - before.node);
      // A process that ended meanwhile counts as the first one instead.
      for (const [kind, ms] of Object.entries(after.database))
        add(kind, ms - (before.database[kind] ?? 0));
    }
    const total = sum(Object.fromEntries(times));
    return new Map([...times].map(([kind, ms]) => [kind, ms / total]));
  }

  stop(): Promise<void> {
    return this.#server.stop();
  }
}

function sum(times: PostgresCpu): number {
  return Object.values(times).reduce((total, ms) => total + ms, 0);
}
