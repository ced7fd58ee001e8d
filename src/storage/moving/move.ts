import type { Serializers } from '../../ports/store.ts';
import { compareTable, type TableComparison } from './compare.ts';
import { type DerivedPart, derivedParts } from './derived-parts.ts';
import type { MoveEndpoint } from './move-endpoint.ts';
import { MoveProgress } from './move-progress.ts';
import { isMovedAway, moveAway } from './moved-away.ts';
import { countRows, keyOf, pagesOf } from './pages.ts';
import { fingerprintOf, isMoveStarted } from './preconditions.ts';
import { formatKey, type Row } from './rows.ts';
import { INSTALLATION, MOVED, type MovedTable } from './tables.ts';

export interface MovePlan {
  readonly source: MoveEndpoint;
  readonly target: MoveEndpoint;
  readonly serializers: Serializers;
  readonly now: Date;
  /** Stops the move after the current batch; a later call resumes it. */
  readonly signal?: AbortSignal;
  /** Called once, with whether an earlier move is resumed. */
  readonly started?: (isResumed: boolean) => void;
  readonly progress?: (step: MoveStep) => void;
}

export interface MoveStep {
  readonly part: 'rows moved' | 'texts indexed' | 'indexes made' | 'rows compared';
  readonly done: number;
  readonly total: number;
}

export interface MoveResult {
  readonly tables: readonly TableComparison[];
  readonly isEqual: boolean;
}

/** The rows of one transaction: a crash loses no more. */
const BATCH = 2000;

/**
 * Copies everything from one store to another, compares them, and then marks the target as a store,
 * and the source as moved.
 * A move that was interrupted at any point is resumed.
 */
export async function moveStore(plan: MovePlan): Promise<MoveResult> {
  const { source, target } = plan;
  const progress = await prepare(plan);
  await copyAll(plan, progress);
  await deriveAll(plan, progress);
  await makeIndexes(plan, progress);
  await target.transact(() => moveInstallation(source, target));
  const result = await compareAll(plan);
  if (!result.isEqual) return result;
  await target.settle();
  // First: if the process ends in between, servers refuse both, and the same call completes it.
  await moveAway(source);
  await progress.finish();
  return result;
}

async function prepare({ source, target, started }: MovePlan): Promise<MoveProgress> {
  const progress = new MoveProgress(target);
  const fingerprint = await fingerprintOf(source);
  const isResumed = await isMoveStarted(target);
  if (!isResumed && (await isMovedAway(source)))
    throw new Error(
      `${source.name} was moved already, and what was written since is in the other database: move that one, or open this one again with \`rapsheet migrate --reopen\``,
    );
  if (!isResumed) await progress.start(fingerprint);
  else if ((await progress.resume()) !== fingerprint)
    throw new Error(
      `${source.name} has changed since the move to ${target.name} was begun, or that move had another source: start again with an empty store`,
    );
  started?.(isResumed);
  return progress;
}

async function copyAll(plan: MovePlan, progress: MoveProgress): Promise<void> {
  const names = MOVED.map(({ name }) => name);
  let total = 0;
  for (const table of MOVED) total += await countRows(plan.source, table);
  const onProgress = () =>
    plan.progress?.({ part: 'rows moved', done: progress.rowsOf(names), total });
  for (const table of MOVED) await copyTable(table, plan, progress, onProgress);
}

async function copyTable(
  table: MovedTable,
  { source, target, signal }: MovePlan,
  progress: MoveProgress,
  onProgress: () => void,
): Promise<void> {
  const { name } = table;
  const part = progress.of(name);
  if (part.isDone) return;
  let { rows, position } = part;
  for await (const page of pagesOf(source, table, position, BATCH)) {
    throwIfAborted(signal);
    rows += page.length;
    position = keyOf(page.at(-1) ?? [], table);
    await progress.advance(name, { position, rows, isDone: false }, () =>
      insertRows(target, table, page),
    );
    onProgress();
  }
  await progress.advance(name, { position, rows, isDone: true }, async () => undefined);
}

/** Adds the range of keys to the error, which the database does not name. */
async function insertRows(
  target: MoveEndpoint,
  table: MovedTable,
  page: readonly Row[],
): Promise<void> {
  try {
    await target.insert(table, page);
  } catch (cause) {
    const [first, last] = [page[0] ?? [], page.at(-1) ?? []].map((row) =>
      formatKey(keyOf(row, table)),
    );
    throw new Error(
      `${table.name} from ${first} to ${last} could not be written to ${target.name}: ${(cause as Error).message}`,
      { cause },
    );
  }
}

async function deriveAll(plan: MovePlan, progress: MoveProgress): Promise<void> {
  const { serializers, now } = plan;
  const total = progress.rowsOf(['search_term', 'fuzzy_hash']);
  let done = 0;
  for (const part of derivedParts(serializers, now)) {
    await derive(part, plan, progress, (rows) => {
      done += rows;
      plan.progress?.({ part: 'texts indexed', done, total });
    });
  }
}

async function derive(
  { name, select, first, build }: DerivedPart,
  { target, signal }: MovePlan,
  progress: MoveProgress,
  onRows: (rows: number) => void,
): Promise<void> {
  const part = progress.of(name);
  if (part.isDone) return;
  onRows(part.rows);
  let { rows, position } = part;
  for (let isDone = false; !isDone; ) {
    throwIfAborted(signal);
    const page = await target.query(`${select} limit ${BATCH}`, position ?? [first]);
    isDone = page.length < BATCH;
    position = page.at(-1)?.slice(0, 1) ?? position;
    rows += page.length;
    await progress.advance(name, { position, rows, isDone }, () => target.perform(build(page)));
    onRows(page.length);
  }
}

async function makeIndexes(plan: MovePlan, progress: MoveProgress): Promise<void> {
  const indexes = await progress.indexes();
  for (const [done, index] of indexes.entries()) {
    throwIfAborted(plan.signal);
    await progress.makeIndex(index);
    plan.progress?.({ part: 'indexes made', done: done + 1, total: indexes.length });
  }
}

/** The single row of `installation`, and the counters of row numbers. */
async function moveInstallation(source: MoveEndpoint, target: MoveEndpoint): Promise<void> {
  const [found] = await source.query(
    'select secret, access_version, object_namespace, charges_from from installation',
  );
  await target.query(
    'update installation set secret = $1, access_version = $2, object_namespace = $3, charges_from = $4',
    found,
  );
  await target.setNumbers(await source.lastReport());
}

async function compareAll({ source, target, signal, progress }: MovePlan): Promise<MoveResult> {
  const all = [...MOVED, INSTALLATION];
  let total = 0;
  for (const table of all) total += 2 * (await countRows(source, table));
  let done = 0;
  const tables: TableComparison[] = [];
  for (const table of all) {
    throwIfAborted(signal);
    const compared = await compareTable(table, [source, target], (rows) => {
      done += rows;
      progress?.({ part: 'rows compared', done, total });
    });
    tables.push(compared);
  }
  const hasSameNumber = (await source.lastReport()) === (await target.lastReport());
  return { tables, isEqual: hasSameNumber && tables.every(({ isEqual }) => isEqual) };
}

function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw new Error('the move was stopped');
}
