import type { ListPage, ListQuery } from '../../ports/feed-store.ts';
import type { UnitOfWork } from '../unit-of-work.ts';
import { sourcesOf } from './list-sources.ts';
import { type Entry, Walk } from './list-walk.ts';
import type { Order } from './list-ways.ts';
import { reportsByNumber } from './report-rows.ts';

export interface NumberPage {
  readonly numbers: readonly number[];
  readonly next: string | undefined;
}

/** Pages that are asked for together, in one look at the store: what several sources say must be of one moment. */
export function* listReports(asked: readonly ListQuery[]): UnitOfWork<readonly ListPage[]> {
  const pages: ListPage[] = [];
  for (const one of asked) {
    const { numbers, next } = yield* listNumbers(one);
    pages.push({ reports: yield* reportsByNumber(numbers), next });
  }
  return pages;
}

/** Which reports are in a page. */
export function* listNumbers(asked: ListQuery): UnitOfWork<NumberPage> {
  const { scope, filter, order, limit } = asked;
  const after = asked.after === undefined ? undefined : parseEntry(asked.after);
  const sources = yield* sourcesOf(scope, filter);
  const walks = sources.map((source) => new Walk(source, order, after, sources.length));
  const { found, stop } = yield* gather(walks, order, limit + 1);
  const page = found.slice(0, limit);
  const last = found.length > limit ? page.at(-1) : stop;
  return { numbers: page.map(({ number }) => number), next: last && formatEntry(last) };
}

/** So many more than its share of a page are taken of each source at once: few are as even as that. */
const SPARE = 3;
/** And of one that had too few, so many times as much. */
const MORE = 4;

interface Gathered {
  readonly found: readonly Entry[];
  /** Where it was ended for now. */
  readonly stop?: Entry;
}

/** Lets them walk on until they have found so many, or are tired, or there is no more. */
function* gather(walks: readonly Walk[], order: Order, wanted: number): UnitOfWork<Gathered> {
  const compare =
    order === 'asc' ? compareEntries : (one: Entry, other: Entry) => compareEntries(other, one);
  const share = Math.min(wanted, Math.ceil(wanted / walks.length) + SPARE);
  for (const walk of walks) yield* walk.go(share);
  for (;;) {
    const behind = hindmost(walks, compare);
    const all = walks.flatMap(({ found }) => found).sort(compare);
    if (behind === undefined) return { found: all };
    const { reach } = behind;
    // Beyond that, the hindmost may still find something in between.
    const found = all.filter((entry) => compare(entry, reach) <= 0);
    if (found.length >= wanted) return { found };
    if (behind.walk.isTired) return { found, stop: reach };
    yield* behind.walk.go(Math.min(wanted, MORE * share));
  }
}

type Comparison = (one: Entry, other: Entry) => number;

function hindmost(
  walks: readonly Walk[],
  compare: Comparison,
): { readonly walk: Walk; readonly reach: Entry } | undefined {
  let hindmost: { readonly walk: Walk; readonly reach: Entry } | undefined;
  for (const walk of walks) {
    const { reach } = walk;
    if (reach === undefined) continue;
    if (hindmost === undefined || compare(reach, hindmost.reach) < 0) hindmost = { walk, reach };
  }
  return hindmost;
}

function compareEntries(one: Entry, other: Entry): number {
  if (one.time !== other.time) return one.time < other.time ? -1 : 1;
  return one.number - other.number;
}

function formatEntry({ time, number }: Entry): string {
  return time === '' ? String(number) : `${number} ${time}`;
}

function parseEntry(text: string): Entry {
  const [number = '', time = ''] = text.split(' ');
  return { time, number: Number(number) };
}
