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

/** Returns how to read the CPU time of all processes of the server, in milliseconds. */
export async function postgresCpu(database: TestDatabase): Promise<() => number> {
  const [row] = await database.run(
    "select split_part(pg_read_file('postmaster.pid'), chr(10), 1)::int as pid",
  );
  const first = Number(row?.['pid']);
  return () =>
    childrenOf(first).reduce(
      (sum, pid) => sum + cpuMsOf(pid),
      cpuMsOf(first, { withEndedChildren: true }),
    );
}

/**
 * A server whose CPU time includes that of PostgreSQL. It is read before and after each
 * measurement, so the shares of both are known, too.
 */
export class ServerWithDatabase implements RunningServer {
  readonly #server: RunningServer;
  readonly #databaseMs: () => number;
  readonly #readings: { readonly node: number; readonly database: number }[] = [];

  constructor(server: RunningServer, databaseMs: () => number) {
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
    return reading.node + reading.database;
  }

  cpuNanos(): number {
    return this.#server.cpuNanos() + this.#databaseMs() * 1e6;
  }

  /** The share of PostgreSQL in the CPU time of all measurements. */
  databaseShare(): number {
    let [node, database] = [0, 0];
    for (let index = 1; index < this.#readings.length; index += 2) {
      const [before, after] = this.#readings.slice(index - 1);
      node += (after?.node ?? 0) - (before?.node ?? 0);
      database += (after?.database ?? 0) - (before?.database ?? 0);
    }
    return database / (node + database);
  }

  stop(): Promise<void> {
    return this.#server.stop();
  }
}
