import { rows, type UnitOfWork } from '../../unit-of-work.ts';
import { type Order, type Stretch, TIME_QUERIES, WAY_QUERIES, type Way } from './list-queries.ts';
import type { Source } from './list-sources.ts';

/** A report in a list. The time is empty where the list is by number alone. */
export interface Entry {
  readonly time: string;
  readonly number: number;
}

const EARLIEST = '0001-01-01T00:00:00.000Z';
const LATEST = '9999-12-31T23:59:59.999Z';

/** How many reports a page passes by at most, over all its sources, before it ends for now: some milliseconds. */
const MOST_LOOKED_AT = 5000;
/** What each source may pass by in any case, so that every page gets further. */
const LEAST_WINDOW = 10;
/** What one statement passes by at most. */
const MOST_WINDOW = 1000;

/** What all walks of a page may still pass by. */
export class LookLimit {
  left = MOST_LOOKED_AT;
}

/** Goes through one source as far as it is asked to, and keeps what it found until that is taken. */
export class Walk {
  readonly #source: Source;
  readonly #order: Order;
  readonly #limit: LookLimit;
  #found: Entry[] = [];
  /** How many of the found ones were taken. */
  #taken = 0;
  /** Everything up to here is found; `undefined` where that is all there is. */
  #reach: Entry | undefined;
  #isDone = false;

  constructor(source: Source, order: Order, after: Entry | undefined, limit: LookLimit) {
    this.#source = source;
    this.#order = order;
    this.#reach = after;
    this.#limit = limit;
  }

  /** The first of the found ones that was not taken. */
  get next(): Entry | undefined {
    return this.#found[this.#taken];
  }

  take(): void {
    this.#taken += 1;
  }

  get reach(): Entry | undefined {
    return this.#isDone ? undefined : this.#reach;
  }

  /** Whether the page has looked at so much that it should go on another time. */
  get isTired(): boolean {
    return this.#limit.left <= 0;
  }

  /** Looks for so many more. */
  *go(count: number): UnitOfWork<void> {
    const { way, isExact } = this.#source;
    if (way === 'time') yield* this.#goByTime(count);
    else if (isExact) yield* this.#find(way, { count, upTo: this.#end });
    else yield* this.#search(way, count);
  }

  get #end(): number {
    return this.#order === 'asc' ? Number.MAX_SAFE_INTEGER : 0;
  }

  /** In windows that grow: most of the time the first of them has enough that fits. */
  *#search(way: Way, count: number): UnitOfWork<void> {
    let missing = count;
    for (let window = 2 * count; missing > 0 && !this.#isDone; window *= 4) {
      const size = Math.min(window, MOST_WINDOW, Math.max(LEAST_WINDOW, this.#limit.left));
      const [end] = yield* rows(WAY_QUERIES[way][this.#order].skip, {
        ...this.#stretch(this.#end),
        skip: size - 1,
      });
      this.#limit.left -= size;
      missing -= yield* this.#find(way, { count: missing, upTo: end?.number ?? this.#end });
      if (this.isTired) return;
    }
  }

  /** Looks for so many up to that number, and tells how many there were. */
  *#find(way: Way, { count, upTo }: { count: number; upTo: number }): UnitOfWork<number> {
    const numbers = yield* rows(WAY_QUERIES[way][this.#order].find, {
      ...this.#stretch(upTo),
      ...this.#source.rest,
      limit: count,
    });
    this.#keep(numbers.map(({ number }) => ({ time: '', number })));
    if (numbers.length < count) {
      this.#isDone = upTo === this.#end;
      this.#reach = { time: '', number: upTo };
    }
    return numbers.length;
  }

  #stretch(upTo: number): Stretch {
    const { serviceId, key } = this.#source;
    const beginning = this.#order === 'asc' ? 0 : Number.MAX_SAFE_INTEGER;
    return { serviceId, ...key, after: this.#reach?.number ?? beginning, upTo };
  }

  *#goByTime(count: number): UnitOfWork<void> {
    const { find, same } = TIME_QUERIES[this.#order];
    const { serviceId, rest } = this.#source;
    const [from, to] = [rest.from ?? EARLIEST, rest.to ?? LATEST];
    const last = this.#reach;
    let left = count;
    if (last !== undefined) {
      const moment = { serviceId, at: last.time, after: last.number, limit: left };
      left -= this.#keep(yield* rows(same, moment));
      if (left === 0) return;
    }
    const period = last === undefined ? { from, to } : beyond(last.time, this.#order, { from, to });
    const found = yield* rows(find, { serviceId, ...period, limit: left });
    this.#keep(found);
    this.#isDone = found.length < left;
  }

  #keep(found: readonly Entry[]): number {
    this.#found = [...this.#found.slice(this.#taken), ...found];
    this.#taken = 0;
    this.#reach = found.at(-1) ?? this.#reach;
    return found.length;
  }
}

/** What of a period comes after that time. */
function beyond(time: string, order: Order, period: { from: string; to: string }) {
  if (order === 'desc') return { ...period, to: time };
  return { ...period, from: new Date(Date.parse(time) + 1).toISOString() };
}
