import type { Clock } from '../ports/clock.ts';
import type { Queue } from '../ports/queue.ts';
import type { Serializers, Store } from '../ports/store.ts';
import { sqliteQueue } from '../queue/sqlite.ts';
import { openSqliteRunner } from '../storage/sqlite/open.ts';
import { createStore } from '../storage/stores/store.ts';
import type { Runner } from '../storage/units/runner.ts';

/** One machine owns the file, so its clock decides. */
const SYSTEM_CLOCK: Clock = { now: () => new Date(), machineOffsetMs: () => undefined };

interface SqliteDatabase {
  readonly store: Store;
  readonly queue: Queue;
  readonly clock: Clock;
}

/** Opens store and queue over one connection. Closing the store closes both. */
export function openSqliteDatabase(
  file: string,
  serializers: Serializers,
  clock?: Clock,
): SqliteDatabase {
  return sqliteDatabaseOn(openSqliteRunner(file), serializers, clock);
}

export function sqliteDatabaseOn(
  runner: Runner,
  serializers: Serializers,
  clock: Clock = SYSTEM_CLOCK,
): SqliteDatabase {
  const queue = sqliteQueue(runner, () => clock.now());
  return { store: createStore(runner, serializers), queue, clock };
}
