import type { Serializers } from '../../ports/store.ts';
import { type Compared, compareTable } from './compare.ts';
import { Notes } from './notes.ts';
import { countRows, keyOf, pagesOf } from './pages.ts';
import { headsOf, isBegun } from './readiness.ts';
import { formatKey, type Row } from './rows.ts';
import type { Side } from './side.ts';
import { INSTALLATION, MOVED, type MovedTable } from './tables.ts';
import { type Remade, remadeParts } from './words.ts';

export interface MovePlan {
  readonly source: Side;
  readonly target: Side;
  readonly serializers: Serializers;
  readonly now: Date;
  /** Ends it after the rows that are under way; it can be taken up again. */
  readonly signal?: AbortSignal;
  /** Whether it goes on with what was begun before. */
  readonly begun?: (isGoingOn: boolean) => void;
  readonly progress?: (step: MoveStep) => void;
}

export interface MoveStep {
  readonly part: 'rows moved' | 'texts indexed' | 'indexes made' | 'rows compared';
  readonly done: number;
  readonly total: number;
}

export interface MoveResult {
  readonly tables: readonly Compared[];
  readonly isEqual: boolean;
}

/** So many rows are moved at once: what a crash takes at most. */
const BATCH = 2000;

/**
 * Moves everything from one store to another, which becomes one when it was found to be the same. Broken off at any
 * point, it goes on where it was.
 */
export async function moveStore(plan: MovePlan): Promise<MoveResult> {
  const { source, target } = plan;
  const notes = await prepare(plan);
  await copyAll(plan, notes);
  await remakeAll(plan, notes);
  await makeIndexes(plan, notes);
  await target.transact(() => moveInstallation(source, target));
  const result = await compareAll(plan);
  if (!result.isEqual) return result;
  await target.settle();
  await notes.end();
  return result;
}

async function prepare({ source, target, begun }: MovePlan): Promise<Notes> {
  const notes = new Notes(target);
  const heads = await headsOf(source);
  const isGoingOn = await isBegun(target);
  if (!isGoingOn) await notes.begin(heads);
  else if ((await notes.takeUp()) !== heads)
    throw new Error(
      `${source.name} has changed since the move to ${target.name} was begun, or that was another one: begin anew with an empty store`,
    );
  begun?.(isGoingOn);
  return notes;
}

async function copyAll(plan: MovePlan, notes: Notes): Promise<void> {
  const names = MOVED.map(({ name }) => name);
  let total = 0;
  for (const table of MOVED) total += await countRows(plan.source, table);
  const watch = () => plan.progress?.({ part: 'rows moved', done: notes.rowsOf(names), total });
  for (const table of MOVED) await copyTable(table, plan, notes, watch);
}

async function copyTable(
  table: MovedTable,
  { source, target, signal }: MovePlan,
  notes: Notes,
  watch: () => void,
): Promise<void> {
  const { name } = table;
  const note = notes.of(name);
  if (note.isDone) return;
  let { rows, position } = note;
  for await (const page of pagesOf(source, table, position, BATCH)) {
    stopIf(signal);
    rows += page.length;
    position = keyOf(page.at(-1) ?? [], table);
    await notes.advance(name, { position, rows, isDone: false }, () => put(target, table, page));
    watch();
  }
  await notes.advance(name, { position, rows, isDone: true }, async () => undefined);
}

/** Says which rows it was: the database only says what was wrong with one of them. */
async function put(target: Side, table: MovedTable, page: readonly Row[]): Promise<void> {
  try {
    await target.insert(table, page);
  } catch (cause) {
    const [first, last] = [page[0] ?? [], page.at(-1) ?? []].map((row) =>
      formatKey(keyOf(row, table)),
    );
    throw new Error(
      `${table.name} from ${first} to ${last} could not be put into ${target.name}: ${(cause as Error).message}`,
      { cause },
    );
  }
}

async function remakeAll(plan: MovePlan, notes: Notes): Promise<void> {
  const { serializers, now, progress } = plan;
  const total = notes.rowsOf(['search_term', 'fuzzy_hash']);
  let done = 0;
  for (const part of remadeParts(serializers, now)) {
    await remake(part, plan, notes, (rows) => {
      done += rows;
      progress?.({ part: 'texts indexed', done, total });
    });
  }
}

async function remake(
  { name, select, first, make }: Remade,
  { target, signal }: MovePlan,
  notes: Notes,
  watch: (rows: number) => void,
): Promise<void> {
  const note = notes.of(name);
  if (note.isDone) return;
  watch(note.rows);
  let { rows, position } = note;
  for (let isDone = false; !isDone; ) {
    stopIf(signal);
    const page = await target.query(`${select} limit ${BATCH}`, position ?? [first]);
    isDone = page.length < BATCH;
    position = page.at(-1)?.slice(0, 1) ?? position;
    rows += page.length;
    await notes.advance(name, { position, rows, isDone }, () => target.perform(make(page)));
    watch(page.length);
  }
}

async function makeIndexes({ signal, progress }: MovePlan, notes: Notes): Promise<void> {
  const indexes = await notes.indexes();
  for (const [place, index] of indexes.entries()) {
    stopIf(signal);
    await notes.makeIndex(index);
    progress?.({ part: 'indexes made', done: place + 1, total: indexes.length });
  }
}

/** What there is one of, and the numbers that are still to be given. */
async function moveInstallation(source: Side, target: Side): Promise<void> {
  const [found] = await source.query('select secret, access_version from installation');
  await target.query('update installation set secret = $1, access_version = $2', found);
  await target.setNumbers(await source.lastReport());
}

async function compareAll({ source, target, signal, progress }: MovePlan): Promise<MoveResult> {
  const all = [...MOVED, INSTALLATION];
  let total = 0;
  for (const table of all) total += 2 * (await countRows(source, table));
  let done = 0;
  const tables: Compared[] = [];
  for (const table of all) {
    stopIf(signal);
    const compared = await compareTable(table, [source, target], (rows) => {
      done += rows;
      progress?.({ part: 'rows compared', done, total });
    });
    tables.push(compared);
  }
  const sameNumber = (await source.lastReport()) === (await target.lastReport());
  return { tables, isEqual: sameNumber && tables.every(({ isEqual }) => isEqual) };
}

function stopIf(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw new Error('it was stopped');
}
