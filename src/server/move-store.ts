import { dirname } from 'node:path';
import type { DatabaseLocation } from '../config/locations.ts';
import { serializers } from '../http/responses/present.ts';
import { createLog } from '../observability/log.ts';
import { jobStepsOf, openBoss } from '../queue/boss.ts';
import { type MovePlan, type MoveResult, moveStore } from '../storage/moving/move.ts';
import type { MoveEndpoint } from '../storage/moving/move-endpoint.ts';
import { reopen } from '../storage/moving/moved-away.ts';
import { openPostgresSource, openPostgresTarget } from '../storage/moving/postgres-endpoint.ts';
import { openSqliteSource, openSqliteTarget } from '../storage/moving/sqlite-endpoint.ts';
import type { RunJobStep } from '../storage/postgres/execution.ts';
import { connectionTo, openPools } from '../storage/postgres/pools.ts';
import { openFolder } from './data-folders.ts';

export interface MoveOptions extends Pick<MovePlan, 'signal' | 'started' | 'progress'> {
  readonly from: DatabaseLocation;
  readonly to: DatabaseLocation;
}

/**
 * Copies a store to another database. Both are locked. In the end the target is a store, and the
 * source is none.
 */
export async function moveBetween({ from, to, ...callbacks }: MoveOptions): Promise<MoveResult> {
  process.umask(0o077);
  const source = await openSource(from);
  const jobs = to.kind === 'sqlite' ? undefined : new LazyQueue(to.url);
  let target: MoveEndpoint | undefined;
  try {
    // After the source: without a source nothing is created.
    target = await openTarget(to, jobs?.run);
    return await moveStore({ source, target, serializers, now: new Date(), ...callbacks });
  } finally {
    await source.close();
    await target?.close();
    await jobs?.close();
  }
}

/** Lets servers use the source of a move again. */
export async function reopenStore(location: DatabaseLocation): Promise<void> {
  const source = await openSource(location);
  try {
    await reopen(source);
  } finally {
    await source.close();
  }
}

function openSource(from: DatabaseLocation): Promise<MoveEndpoint> {
  return from.kind === 'sqlite' ? openSqliteSource(from.file) : openPostgresSource(from.url);
}

function openTarget(
  to: DatabaseLocation,
  runJobStep: RunJobStep | undefined,
): Promise<MoveEndpoint> | MoveEndpoint {
  if (to.kind === 'postgres' && runJobStep !== undefined)
    return openPostgresTarget(to.url, runJobStep);
  if (to.kind === 'postgres') throw new Error('the queue of the target is missing');
  openFolder('the database', dirname(to.file));
  return openSqliteTarget(to.file);
}

/** Opens the queue with the first job: the schema of the target may not exist before. */
class LazyQueue {
  readonly #url: string;
  #opened: { readonly run: RunJobStep; end(): Promise<void> } | undefined;

  constructor(url: string) {
    this.#url = url;
  }

  readonly run: RunJobStep = async (client, step) => {
    // A move only adds jobs.
    if (step.kind !== 'enqueue-job') return;
    this.#opened ??= await this.#open();
    await this.#opened.run(client, step);
  };

  async close(): Promise<void> {
    await this.#opened?.end();
  }

  async #open() {
    const pools = openPools(connectionTo(this.#url), 1);
    const log = createLog('error');
    const boss = await openBoss({ pool: pools.jobs, log });
    const end = async () => {
      await boss.stop();
      await pools.end();
    };
    return { run: jobStepsOf(boss), end };
  }
}
