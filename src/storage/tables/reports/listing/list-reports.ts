import type { ReportFilter } from '../../../../domain/reports/feed-filter.ts';
import type {
  ListPage,
  ListQuery,
  NumberPage,
  Present,
  ReportText,
} from '../../../../ports/feed-store.ts';
import { Heap } from '../../../units/heap.ts';
import { allInParallel, rows, type UnitOfWork } from '../../../units/unit-of-work.ts';
import { readTexts, textsByNumber } from '../report-texts.ts';
import type { Order } from './list-queries.ts';
import { sourcesOf } from './list-sources.ts';
import { FEED_PAGES, type PageQueries, TIME_PAGES } from './page-queries.ts';
import {
  EARLIEST,
  type Entry,
  LATEST,
  periodAfter,
  ScanBudget,
  SourceReader,
} from './source-reader.ts';

/** A page, read in one snapshot: it is merged from several sources. */
export function* listReports<Content>(
  query: ListQuery,
  present: Present<ReportText, Content>,
): UnitOfWork<ListPage<Content>> {
  const { scope, filter } = query;
  const hasOther = hasConditions(filter);
  if (scope !== undefined && !hasOther)
    return hasPeriod(filter)
      ? yield* pageByTime(scope, query, present)
      : yield* pageOfFeed(scope, query, present);
  const { numbers, next } = yield* listNumbers(query);
  return { reports: present(yield* textsByNumber(numbers)), next };
}

/** Whether the filter has conditions other than the time. */
function hasConditions({ createdAfter: _, createdBefore: __, ...others }: ReportFilter): boolean {
  return Object.values(others).some((condition) => condition !== undefined);
}

function hasPeriod({ createdAfter, createdBefore }: ReportFilter): boolean {
  return createdAfter !== undefined || createdBefore !== undefined;
}

function* pageOfFeed<Content>(
  slug: string,
  { order, limit, after }: ListQuery,
  present: Present<ReportText, Content>,
): UnitOfWork<ListPage<Content>> {
  const start = order === 'asc' ? 0 : Number.MAX_SAFE_INTEGER;
  const range = { slug, after: after === undefined ? start : parseEntry(after).number, limit };
  return yield* readPage(FEED_PAGES[order], range, present);
}

function* pageByTime<Content>(
  slug: string,
  { filter, order, limit, after }: ListQuery,
  present: Present<ReportText, Content>,
): UnitOfWork<ListPage<Content>> {
  const last = after === undefined ? undefined : parseEntry(after);
  const period = {
    from: filter.createdAfter?.toISOString() ?? EARLIEST,
    to: filter.createdBefore?.toISOString() ?? LATEST,
  };
  const range = {
    slug,
    ...(last === undefined ? period : periodAfter(last.time, order, period)),
    // Without a previous page no report has this number.
    lastTime: last?.time ?? EARLIEST,
    lastNumber: last?.number ?? (order === 'asc' ? Number.MAX_SAFE_INTEGER : 0),
    limit,
  };
  return yield* readPage(TIME_PAGES[order], range, present);
}

function* readPage<Range extends { readonly limit: number }, Content>(
  queries: PageQueries<Range>,
  range: Range,
  present: Present<ReportText, Content>,
): UnitOfWork<ListPage<Content>> {
  const [last, following] = yield* rows(queries.end, { ...range, skip: range.limit - 1 });
  const reports = present(yield* readTexts(yield* rows(queries.texts, range)));
  return { reports, next: following && last && formatEntry(last) };
}

/** The numbers of the reports in a page. */
export function* listNumbers(query: ListQuery): UnitOfWork<NumberPage> {
  const { scope, filter, order, limit } = query;
  const after = query.after === undefined ? undefined : parseEntry(query.after);
  const sources = yield* sourcesOf(scope, filter);
  const budget = new ScanBudget(sources.length);
  const readers = sources.map((source) => new SourceReader(source, order, after, budget));
  const { found, stop } = yield* merge(readers, order, limit + 1);
  const page = found.slice(0, limit);
  const last = found.length > limit ? page.at(-1) : stop;
  return { numbers: page.map(({ number }) => number), next: last && formatEntry(last) };
}

/** Added to the even share of a page that is first read from each source. */
const SPARE = 3;
/** A source whose share is used up is read further by this multiple of the share. */
const REFILL_FACTOR = 4;

interface Merged {
  readonly found: readonly Entry[];
  /** Where the page ended because the scan budget was spent. */
  readonly stop?: Entry;
}

/** Merges the sources in order. A source is read further only when its next entry is needed. */
function* merge(readers: readonly SourceReader[], order: Order, count: number): UnitOfWork<Merged> {
  const share = Math.min(count, Math.ceil(count / Math.max(1, readers.length)) + SPARE);
  yield* allInParallel(readers.map((reader) => reader.read(share)));
  const sign = order === 'asc' ? 1 : -1;
  const heap = new Heap(
    readers.filter(mayHaveMore),
    // A reader without a next entry is ordered by how far it has scanned: it may find more after
    // that.
    (one, other) => sign * compareEntries(positionOf(one), positionOf(other)) < 0,
  );
  const found: Entry[] = [];
  while (found.length < count) {
    const reader = heap.first;
    if (reader === undefined) break;
    if (reader.next !== undefined) {
      found.push(reader.next);
      reader.take();
    } else {
      if (reader.isBudgetSpent) return { found, stop: positionOf(reader) };
      yield* reader.read(Math.min(count, REFILL_FACTOR * share));
    }
    if (mayHaveMore(reader)) heap.settleFirst();
    else heap.removeFirst();
  }
  return { found };
}

function mayHaveMore({ next, scannedTo }: SourceReader): boolean {
  return next !== undefined || scannedTo !== undefined;
}

const START: Entry = { time: '', number: 0 };

function positionOf({ next, scannedTo }: SourceReader): Entry {
  return next ?? scannedTo ?? START;
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
