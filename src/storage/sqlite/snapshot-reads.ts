import type { Connection } from './connection.ts';
import { Execution } from './execution.ts';
import { asProblem } from './failures.ts';
import type { Waiting } from './lane.ts';
import type { Slices } from './slices.ts';

/** Connections for long reads. Each has a page cache of its own. */
const MOST_CONNECTIONS = 3;
/** How often it is asked whether reads may begin again. */
const HELD_MS = 10;

interface LongRead {
  readonly waiting: Waiting;
  readonly connection: Connection;
  readonly execution: Execution<unknown>;
}

/**
 * Reads that take longer than one slice. Each runs on a connection of its own in one read transaction, so all of its
 * statements see the store at one moment although writers commit between its slices. One slice of one read runs in each
 * turn of the event loop; the reads take turns.
 */
export class SnapshotReads {
  readonly #open: () => Connection;
  readonly #slices: Slices;
  readonly #isHeld: () => boolean;
  readonly #idle: Connection[] = [];
  readonly #underWay: LongRead[] = [];
  readonly #waiting: Waiting[] = [];
  #connections = 0;
  #isScheduled = false;
  #whenDone: (() => void) | undefined;

  /** While `isHeld` is true no read begins; those under way go on. */
  constructor(open: () => Connection, slices: Slices, isHeld: () => boolean) {
    this.#open = open;
    this.#slices = slices;
    this.#isHeld = isHeld;
  }

  add(waiting: Waiting): void {
    this.#waiting.push(waiting);
    this.#schedule();
  }

  /** Lets the reads under way end, then closes the connections. */
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
    // Where all there is has to wait, the event loop rests meanwhile.
    if (this.#underWay.length === 0 && this.#isHeld()) setTimeout(() => this.#turn(), HELD_MS);
    else setImmediate(() => this.#turn());
  }

  #turn(): void {
    this.#isScheduled = false;
    this.#start();
    const read = this.#underWay.shift();
    if (read !== undefined && !this.#advance(read)) this.#underWay.push(read);
    if (this.#underWay.length > 0 || this.#waiting.length > 0) this.#schedule();
    else this.#whenDone?.();
  }

  /** Begins the next read, where a connection is free. */
  #start(): void {
    if (this.#isHeld()) return;
    if (this.#idle.length === 0 && this.#connections >= MOST_CONNECTIONS) return;
    const waiting = this.#waiting.shift();
    if (waiting === undefined) return;
    try {
      const connection = this.#idle.pop() ?? this.#connect();
      try {
        connection.begin('read');
        const execution = new Execution(connection.statements, waiting.work());
        this.#underWay.push({ waiting, connection, execution });
      } catch (cause) {
        this.#free(connection);
        throw cause;
      }
    } catch (cause) {
      waiting.reject(asProblem(cause));
    }
  }

  #connect(): Connection {
    const connection = this.#open();
    this.#connections += 1;
    return connection;
  }

  /** Runs one slice. Returns whether the read has ended. */
  #advance({ waiting, connection, execution }: LongRead): boolean {
    try {
      if (!execution.advance(this.#slices.begin('read'))) return false;
      waiting.resolve(execution.result);
    } catch (cause) {
      waiting.reject(asProblem(cause));
    }
    this.#free(connection);
    return true;
  }

  /** A connection that cannot end its transaction is given up: nobody may read in a snapshot of long ago. */
  #free(connection: Connection): void {
    try {
      connection.rollback();
      this.#idle.push(connection);
    } catch {
      this.#connections -= 1;
      this.#giveUp(connection);
    }
  }

  /** The read was answered before; here nobody waits. */
  #giveUp(connection: Connection): void {
    try {
      connection.close();
    } catch {
      // There is nothing left to be done with it.
    }
  }
}
