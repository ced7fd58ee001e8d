import { rows, type UnitOfWork } from '../../../units/unit-of-work.ts';
import { MAX_OF_RARE_HOST } from '../host-reports.ts';
import { ALL_QUERIES, type Order, PATH_QUERIES } from './list-queries.ts';
import type { NumberedSource, Source, SourceRange, TimeSource } from './list-sources.ts';
import { lastNumber, sparsestRange } from './sparsest-range.ts';
import { TIME_QUERIES } from './time-queries.ts';

/** A report in a list. The time is empty if the list is by number alone. */
export interface Entry {
  readonly time: string;
  readonly number: number;
}

export const EARLIEST = '0001-01-01T00:00:00.000Z';
export const LATEST = '9999-12-31T23:59:59.999Z';

/**
 * A page ends early after scanning this many reports, besides the first window of each source: some
 * 3 ms. What a page costs must not depend on the size of the store, and a filter that nothing
 * matches would otherwise be scanned to its end.
 */
const MAX_SCANNED = 1000;
/** Each source may scan this many in any case, so that every page makes progress. */
const MIN_WINDOW = 10;
/** The limit on reports scanned by one statement. */
const MAX_WINDOW = 1000;
/** The factor from a window with too few matches to the next. */
const WINDOW_GROWTH = 4;

/** How many reports all readers of a page may still scan. */
export class ScanBudget {
  remaining = MAX_SCANNED;
  /** Readers that have not reached the end of their source. */
  #unfinished: number;

  constructor(readers: number) {
    this.#unfinished = readers;
  }

  /** The limit for one reader, so that none scans far beyond the end of the page. */
  get share(): number {
    return Math.max(MIN_WINDOW, Math.floor(this.remaining / Math.max(1, this.#unfinished)));
  }

  finishOne(): void {
    this.#unfinished -= 1;
  }
}

/** Reads one source on demand, and buffers the entries found until they are taken. */
export class SourceReader {
  readonly #source: Source;
  readonly #order: Order;
  readonly #budget: ScanBudget;
  #found: Entry[] = [];
  /** How many of `#found` were taken. */
  #taken = 0;
  /** Every match up to here was found; `undefined` before the first read. */
  #scannedTo: Entry | undefined;
  #isStarted = false;
  #isDone = false;
  /** The size of the next window, if the last had too few matches. */
  #window = 0;

  constructor(source: Source, order: Order, after: Entry | undefined, budget: ScanBudget) {
    this.#source = source;
    this.#order = order;
    this.#scannedTo = after;
    this.#budget = budget;
  }

  /** The first entry found and not taken. */
  get next(): Entry | undefined {
    return this.#found[this.#taken];
  }

  take(): void {
    this.#taken += 1;
  }

  /** How far the source was scanned; `undefined` at its end. */
  get scannedTo(): Entry | undefined {
    return this.#isDone ? undefined : this.#scannedTo;
  }

  /** Whether the page must end here. The next one continues. */
  get isBudgetSpent(): boolean {
    return this.#budget.remaining <= 0;
  }

  /** Finds up to `count` more entries; fewer, or none, if it has to scan for them. */
  *read(count: number): UnitOfWork<void> {
    const source = this.#source;
    if ('period' in source) {
      yield* this.#readByTime(source, count);
      return;
    }
    const [range] = source.ranges;
    // A rare host has so few reports that it is never scanned in windows.
    if (range.isExact || range.path === 'rareHost')
      yield* this.#find(range, { count, upTo: lastNumber(this.#order) });
    else yield* this.#scan(source, count);
  }

  /**
   * Scans one window; usually the first has enough matches. The next is larger. Between two windows
   * the merge chooses the source that is behind, so that several sources spend the budget on the
   * same range of numbers.
   */
  *#scan(source: NumberedSource, count: number): UnitOfWork<void> {
    const window = Math.max(this.#window, 2 * count);
    const isFirst = !this.#isStarted;
    const size = Math.min(window, MAX_WINDOW, isFirst ? MAX_WINDOW : this.#budget.share);
    this.#isStarted = true;
    if (!isFirst) this.#budget.remaining -= size;
    const { range, upTo } = yield* sparsestRange(source, {
      order: this.#order,
      after: this.#after,
      size,
    });
    const found = yield* this.#find(range, { count, upTo });
    this.#window = found < count ? WINDOW_GROWTH * window : 0;
  }

  /** Finds up to `count` matches up to that number. Returns how many it found. */
  *#find(
    { path, key, isExact, filter }: SourceRange,
    { count, upTo }: { count: number; upTo: number },
  ): UnitOfWork<number> {
    const { find } = PATH_QUERIES[path][this.#order];
    const all = isExact ? ALL_QUERIES[path]?.[this.#order] : undefined;
    const isRare = path === 'rareHost';
    const range = {
      serviceId: this.#source.serviceId,
      ...key,
      after: this.#after,
      upTo,
      limit: isRare ? MAX_OF_RARE_HOST : count,
    };
    const found = all ? yield* rows(all, range) : yield* rows(find, { ...range, ...filter });
    const numbers = isRare ? found.toSorted(this.#byNumber).slice(0, count) : found;
    this.#append(numbers.map(({ number }) => ({ time: '', number })));
    if (numbers.length < count) {
      if (upTo === lastNumber(this.#order)) this.#finish();
      this.#scannedTo = { time: '', number: upTo };
    }
    return numbers.length;
  }

  readonly #byNumber = (one: { number: number }, other: { number: number }) =>
    this.#order === 'asc' ? one.number - other.number : other.number - one.number;

  #finish(): void {
    this.#isDone = true;
    this.#budget.finishOne();
  }

  get #after(): number {
    return this.#scannedTo?.number ?? lastNumber(this.#order === 'asc' ? 'desc' : 'asc');
  }

  *#readByTime({ serviceId, period: filter }: TimeSource, count: number): UnitOfWork<void> {
    const { find, same } = TIME_QUERIES[this.#order];
    const [from, to] = [filter.from ?? EARLIEST, filter.to ?? LATEST];
    const last = this.#scannedTo;
    let remaining = count;
    if (last !== undefined) {
      const moment = { serviceId, at: last.time, after: last.number, limit: remaining };
      remaining -= this.#append(yield* rows(same, moment));
      if (remaining === 0) return;
    }
    const period =
      last === undefined ? { from, to } : periodAfter(last.time, this.#order, { from, to });
    const found = yield* rows(find, { serviceId, ...period, limit: remaining });
    this.#append(found);
    if (found.length < remaining) this.#finish();
  }

  #append(found: readonly Entry[]): number {
    this.#found = [...this.#found.slice(this.#taken), ...found];
    this.#taken = 0;
    this.#scannedTo = found.at(-1) ?? this.#scannedTo;
    return found.length;
  }
}

/** The part of a period after that time. */
export function periodAfter(time: string, order: Order, period: { from: string; to: string }) {
  if (order === 'desc') return { ...period, to: time };
  return { ...period, from: new Date(Date.parse(time) + 1).toISOString() };
}
