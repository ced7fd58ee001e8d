import type { FollowedChange } from '../../../../src/client/follow.ts';
import type { ExtendedReport, ReportPage } from '../../../../src/client/wire.ts';
import { Store } from '../../api/store.ts';
import { type Page, PagedRows, type ReportRows } from './paged-rows.ts';

export interface ReportListState {
  /** A new object after each change of a row. */
  readonly rows: ReportRows;
  /** Whether the first page has been loaded. */
  readonly isLoaded: boolean;
  readonly hasMore: boolean;
  /** Why the last page could not be loaded. */
  readonly error: unknown;
  /** Matching reports that were created since, not yet among the rows. */
  readonly arrived: number;
}

interface Options {
  readonly fetchPage: (cursor: string | undefined, limit: number) => Promise<ReportPage>;
  readonly matches: (report: ExtendedReport) => boolean;
  /** The pages that are kept; others are loaded again when they are shown. */
  readonly keptPages?: number;
}

/** The first page is small, so that it shows soon. */
const FIRST_PAGE = 100;
const PAGE = 500;
const KEPT_PAGES = 10;
/** Rows beyond those shown that are loaded in advance, once somebody scrolls. */
const AHEAD = 800;
/** The most arrivals that are counted. */
export const MAX_ARRIVED = 10_000;

/**
 * The reports of a feed that match a filter, newest first, as far as they were scrolled. New
 * reports are only counted, so that nothing moves under the reader; changes of shown reports show
 * at once.
 *
 * It bounds the memory of a list of 100,000 reports: only some pages near those shown are kept. An
 * infinite query of TanStack would replace it; its pages that are dropped lose their place, so the
 * list would move.
 */
export class ReportList {
  readonly state = new Store<ReportListState>({
    rows: new PagedRows([]),
    isLoaded: false,
    hasMore: true,
    error: null,
    arrived: 0,
  });
  readonly #options: Options;
  readonly #arrived = new Set<string>();
  #pages: readonly Page[] = [];
  #pageOf = new Map<string, Page>();
  #next: string | undefined;
  #shown = { first: 0, last: 0 };
  #isLoading = false;
  #reload: Promise<void> | undefined;
  /** For each request in flight, the changes since it was sent: its answer may lack them. */
  readonly #missed = new Set<FollowedChange[]>();

  constructor(options: Options) {
    this.#options = options;
  }

  /** Loads the newest reports and forgets the others. */
  reload(): Promise<void> {
    this.#reload ??= this.#loadFirst().finally(() => {
      this.#reload = undefined;
      if (this.state.value.error === null) this.#fill();
    });
    return this.#reload;
  }

  /** Sets which rows are on the screen: they and the following ones are loaded. */
  show(first: number, last: number): void {
    this.#shown = { first, last };
    if (this.state.value.error === null) this.#fill();
  }

  /** Repeats the request that failed. */
  retry(): void {
    this.#update({ error: null });
    if (this.state.value.isLoaded) this.#fill();
    else void this.reload();
  }

  /** Applies changes of the feed, oldest first. One call notifies once. */
  apply(changes: readonly FollowedChange[]): void {
    for (const missed of this.#missed) missed.push(...changes);
    const edits = new Map<Page, Map<string, FollowedChange>>();
    for (const change of changes) {
      const page = this.#pageOf.get(change.id);
      if (page === undefined) this.#noteArrival(change);
      else edits.set(page, (edits.get(page) ?? new Map()).set(change.id, change));
    }
    for (const [page, ofPage] of edits) this.#edit(page, ofPage);
    const arrived = this.#arrived.size;
    if (edits.size > 0) this.#update({ rows: new PagedRows(this.#pages), arrived });
    else if (arrived !== this.state.value.arrived) this.#update({ arrived });
    if (arrived > 0 && this.state.value.isLoaded && this.#pageOf.size === 0) void this.reload();
  }

  #noteArrival({ type, id, report }: FollowedChange): void {
    const isMatch = report !== undefined && this.#options.matches(report);
    if (!isMatch) this.#arrived.delete(id);
    else if (type === 'created' && this.#arrived.size < MAX_ARRIVED) this.#arrived.add(id);
  }

  #edit(page: Page, changes: ReadonlyMap<string, FollowedChange>): void {
    for (const { id, report } of changes.values()) {
      if (report !== undefined) continue;
      page.ids.delete(id);
      this.#pageOf.delete(id);
    }
    page.reports = page.reports && changed(page.reports, changes);
  }

  async #fetch(cursor: string | undefined, limit: number): Promise<ReportPage> {
    const missed: FollowedChange[] = [];
    this.#missed.add(missed);
    try {
      const page = await this.#options.fetchPage(cursor, limit);
      const changes = new Map(missed.map((change) => [change.id, change]));
      return { ...page, reports: changed(page.reports, changes) };
    } finally {
      this.#missed.delete(missed);
    }
  }

  async #loadFirst(): Promise<void> {
    this.#arrived.clear();
    try {
      const { reports, nextCursor } = await this.#fetch(undefined, FIRST_PAGE);
      this.#pages = [];
      this.#pageOf = new Map();
      this.#append(undefined, reports, nextCursor);
      for (const { id } of reports) this.#arrived.delete(id);
      this.#shown = { first: 0, last: 0 };
      this.#update({ isLoaded: true, error: null, arrived: this.#arrived.size });
    } catch (error) {
      this.#update({ error });
    }
  }

  #append(
    cursor: string | undefined,
    reports: readonly ExtendedReport[],
    nextCursor: string | null,
  ): void {
    const page: Page = { cursor, ids: new Set(), reports: [] };
    this.#fillPage(page, reports);
    this.#pages = [...this.#pages, page];
    this.#next = nextCursor ?? undefined;
    this.#update({ rows: new PagedRows(this.#pages), hasMore: nextCursor !== null });
  }

  /** Reports of another page are left out: a page that became shorter continues with them. */
  #fillPage(page: Page, reports: readonly ExtendedReport[]): void {
    const own = reports.filter(({ id }) => (this.#pageOf.get(id) ?? page) === page);
    for (const id of page.ids) this.#pageOf.delete(id);
    page.ids.clear();
    for (const { id } of own) {
      page.ids.add(id);
      this.#pageOf.set(id, page);
    }
    page.reports = own;
  }

  /**
   * Loads the next page that is needed, one at a time: pages that a reader scrolls past are left
   * out. A page has the cursor of the next one, so a list grows page by page; a reader who is
   * faster waits at its end.
   */
  #fill(): void {
    this.#drop();
    if (this.#isLoading || this.#reload !== undefined) return;
    const missing = this.#missingPage();
    const { first, last } = this.#shown;
    const needed = last + 1 + (first === 0 ? 0 : AHEAD);
    const isNearEnd = needed >= this.state.value.rows.length;
    if (missing !== undefined) void this.#load(() => this.#loadAgain(missing));
    else if (isNearEnd && this.#next !== undefined) {
      const cursor = this.#next;
      void this.#load(() => this.#loadNext(cursor));
    }
  }

  /** The nearest dropped page that is shown, or is about to be. */
  #missingPage(): Page | undefined {
    return this.#byDistance().find(
      ({ page, distance }) => page.reports === undefined && distance <= AHEAD,
    )?.page;
  }

  /** The pages by the number of rows between them and those shown. */
  #byDistance(): readonly { readonly page: Page; readonly distance: number }[] {
    const { first, last } = this.#shown;
    let end = 0;
    return this.#pages
      .map((page) => {
        const start = end;
        end += page.ids.size;
        return { page, distance: Math.max(0, start - last, first - end) };
      })
      .toSorted((one, other) => one.distance - other.distance);
  }

  async #load(load: () => Promise<void>): Promise<void> {
    this.#isLoading = true;
    try {
      await load();
    } catch (error) {
      this.#update({ error });
      return;
    } finally {
      this.#isLoading = false;
    }
    this.#fill();
  }

  async #loadNext(cursor: string): Promise<void> {
    const pages = this.#pages;
    const page = await this.#fetch(cursor, PAGE);
    if (pages === this.#pages) this.#append(cursor, page.reports, page.nextCursor);
  }

  async #loadAgain(page: Page): Promise<void> {
    const { reports } = await this.#fetch(page.cursor, Math.max(1, page.ids.size));
    if (!this.#pages.includes(page)) return;
    this.#fillPage(page, reports);
    this.#update({ rows: new PagedRows(this.#pages) });
  }

  /** Drops the reports of the pages farthest from those shown. */
  #drop(): void {
    const { keptPages = KEPT_PAGES } = this.#options;
    const loaded = this.#byDistance().filter(({ page }) => page.reports !== undefined);
    for (const { page, distance } of loaded.slice(keptPages))
      if (distance > AHEAD) page.reports = undefined;
  }

  #update(change: Partial<ReportListState>): void {
    this.state.set({ ...this.state.value, ...change });
  }
}

/** The reports after the changes; deleted ones are left out. */
function changed(
  reports: readonly ExtendedReport[],
  changes: ReadonlyMap<string, FollowedChange>,
): readonly ExtendedReport[] {
  return reports.flatMap((report) => {
    const change = changes.get(report.id);
    return change === undefined ? report : (change.report ?? []);
  });
}
