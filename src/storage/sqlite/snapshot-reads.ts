import type { Connection } from './connection.ts';
import { Execution } from './execution.ts';
import { asProblem } from './failures.ts';
import type { PendingUnit } from './pending-units.ts';
import type { Slices } from './slices.ts';

/** Bounds the memory: each connection has its own page cache. */
const MAX_CONNECTIONS = 3;
/** Polling interval while new reads are held. */
const HELD_MS = 10;

interface LongRead {
  readonly unit: PendingUnit;
  readonly connection: Connection;
  readonly execution: Execution<unknown>;
}

/**
 * Runs reads that take longer than one slice. Each uses its own connection and one read
 * transaction, so its statements see one snapshot although writers commit between its slices. Each
 * turn of the event loop runs one slice of one read, round robin.
 */
export class SnapshotReads {
  readonly #open: () => Connection;
  readonly #slices: Slices;
  readonly #isHeld: () => boolean;
  readonly #idle: Connection[] = [];
  readonly #running: LongRead[] = [];
  readonly #pending: PendingUnit[] = [];
  #connections = 0;
  #isScheduled = false;
  #whenDone: (() => void) | undefined;

  /** While `isHeld` returns true, no new read starts. Running reads continue. */
  constructor(open: () => Connection, slices: Slices, isHeld: () => boolean) {
    this.#open = open;
    this.#slices = slices;
    this.#isHeld = isHeld;
  }

  add(unit: PendingUnit): void {
    this.#pending.push(unit);
    this.#schedule();
  }

  /** Waits for all reads, then closes the connections. */
  async close(): Promise<void> {
    if (this.#isScheduled)
      await new Promise<void>((done) => {
        this.#whenDone = done;
      });
    for (const connection of this.#idle) connection.close();
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    // A timer, not `setImmediate`: with all reads held, immediates would keep the CPU busy.
    if (this.#running.length === 0 && this.#isHeld()) setTimeout(() => this.#turn(), HELD_MS);
    else setImmediate(() => this.#turn());
  }

  #turn(): void {
    this.#isScheduled = false;
    this.#start();
    const read = this.#running.shift();
    if (read !== undefined && !this.#advance(read)) this.#running.push(read);
    if (this.#running.length > 0 || this.#pending.length > 0) this.#schedule();
    else this.#whenDone?.();
  }

  /** Starts the next read if a connection is free. */
  #start(): void {
    if (this.#isHeld()) return;
    if (this.#idle.length === 0 && this.#connections >= MAX_CONNECTIONS) return;
    const unit = this.#pending.shift();
    if (unit === undefined) return;
    try {
      const connection = this.#idle.pop() ?? this.#connect();
      try {
        connection.begin('read');
        const execution = new Execution(connection.statements, unit.work());
        this.#running.push({ unit, connection, execution });
      } catch (cause) {
        this.#free(connection);
        throw cause;
      }
    } catch (cause) {
      unit.reject(asProblem(cause));
    }
  }

  #connect(): Connection {
    const connection = this.#open();
    this.#connections += 1;
    return connection;
  }

  /** Runs one slice. Returns whether the read is done. */
  #advance({ unit, connection, execution }: LongRead): boolean {
    try {
      if (!execution.advance(this.#slices.begin('read'))) return false;
      unit.resolve(execution.result);
    } catch (cause) {
      unit.reject(asProblem(cause));
    }
    this.#free(connection);
    return true;
  }

  /**
   * A connection that fails to end its transaction is closed: it would keep reading an old
   * snapshot.
   */
  #free(connection: Connection): void {
    try {
      connection.rollback();
      this.#idle.push(connection);
    } catch {
      this.#connections -= 1;
      closeQuietly(connection);
    }
  }
}

/** The caller already has its result, so there is no one to report a failure to. */
function closeQuietly(connection: Connection): void {
  try {
    connection.close();
  } catch {
    // The connection is unusable either way.
  }
}
