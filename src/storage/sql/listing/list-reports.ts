import type { ListPage, ListQuery, NumberPage } from '../../../ports/feed-store.ts';
import { inParallel, type UnitOfWork } from '../../unit-of-work.ts';
import { reportsByNumber } from '../reports/report-rows.ts';
import { Heap } from './heap.ts';
import type { Order } from './list-queries.ts';
import { sourcesOf } from './list-sources.ts';
import { type Entry, LookLimit, Walk } from './list-walk.ts';

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
  const limitOfAll = new LookLimit();
  const walks = sources.map((source) => new Walk(source, order, after, limitOfAll));
  const { found, stop } = yield* merge(walks, order, limit + 1);
  const page = found.slice(0, limit);
  const last = found.length > limit ? page.at(-1) : stop;
  return { numbers: page.map(({ number }) => number), next: last && formatEntry(last) };
}

/** So many more than its share of a page are taken of each source at once: few are as even as that. */
const SPARE = 3;
/** And of one that had too few, so many times as much. */
const MORE = 4;

interface Merged {
  readonly found: readonly Entry[];
  /** Where the page was ended before the sources were. */
  readonly stop?: Entry;
}

/** The first so many of all sources, in order. A source is read further only when its next one is needed. */
function* merge(walks: readonly Walk[], order: Order, wanted: number): UnitOfWork<Merged> {
  const share = Math.min(wanted, Math.ceil(wanted / Math.max(1, walks.length)) + SPARE);
  yield* inParallel(...walks.map((walk) => walk.go(share)));
  const compare = order === 'asc' ? 1 : -1;
  const heap = new Heap(
    walks.filter(isAhead),
    // What has nothing to give just now stands where it has come to: behind that it may still find something.
    (one, other) => compare * compareEntries(positionOf(one), positionOf(other)) < 0,
  );
  const found: Entry[] = [];
  while (found.length < wanted) {
    const walk = heap.first;
    if (walk === undefined) break;
    if (walk.next !== undefined) {
      found.push(walk.next);
      walk.take();
    } else {
      if (walk.isTired) return { found, stop: positionOf(walk) };
      yield* walk.go(Math.min(wanted, MORE * share));
    }
    if (isAhead(walk)) heap.settleFirst();
    else heap.removeFirst();
  }
  return { found };
}

/** Whether there is, or may be, something to come. */
function isAhead({ next, reach }: Walk): boolean {
  return next !== undefined || reach !== undefined;
}

const NOWHERE: Entry = { time: '', number: 0 };

function positionOf({ next, reach }: Walk): Entry {
  return next ?? reach ?? NOWHERE;
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
