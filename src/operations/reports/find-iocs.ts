import { DAY_MS } from '../../domain/duration.ts';
import type { ExportedReport } from '../../domain/reports/exported-report.ts';
import type { ReportFilter } from '../../domain/reports/feed-filter.ts';
import type { SearchInput } from '../../domain/search-query.ts';
import type { HostOrC2 } from '../../ports/search-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { MAX_SEARCH_HITS } from '../search.ts';

/** The reports of one answer, newest first. Each has two indicators. */
export const MAX_REPORTS = 5000;
/** Reports of one page, whose numbers are read at once. */
const PAGE = 1000;
/** Pages of a filtered list may be short, or empty. */
const MAX_PAGES = 50;
/** Reports of one read. */
const PART = 50;

type IocDependencies = Pick<Dependencies, 'store' | 'now'>;

export interface FoundReports {
  readonly parts: AsyncGenerator<readonly ExportedReport[], void>;
  /** Whether older ones were left out; known after the last part. */
  isCut(): boolean;
}

/** The reports of all feeds that match. */
export function findReports({ store }: IocDependencies, filter: ReportFilter): FoundReports {
  let isCut = true;
  async function* read(): AsyncGenerator<readonly ExportedReport[], void> {
    let after: string | undefined;
    let left = MAX_REPORTS;
    for (let page = 0; page < MAX_PAGES && left > 0; page += 1) {
      const limit = Math.min(PAGE, left);
      const query = { scope: undefined, filter, order: 'desc', after, limit } as const;
      const { numbers, next } = await store.feeds.listNumbers(query);
      left -= numbers.length;
      for (let start = 0; start < numbers.length; start += PART)
        yield await store.feeds.exportedByNumber(numbers.slice(start, start + PART));
      after = next;
      if (next === undefined) {
        isCut = false;
        return;
      }
    }
  }
  return { parts: read(), isCut: () => isCut };
}

/** The reports of the last days. */
export function recentReports(deps: IocDependencies, days: number): FoundReports {
  return findReports(deps, { createdAfter: new Date(deps.now().getTime() - days * DAY_MS) });
}

/** What a search for an indicator looks for. */
export type SearchTerm =
  | { readonly kind: 'file'; readonly sha256: string }
  | {
      readonly kind: 'addresses';
      readonly text: string;
      readonly addresses: readonly HostOrC2[];
      readonly isExact: boolean;
    }
  | { readonly kind: 'part'; readonly text: string; readonly input: SearchInput };

export function searchReports(deps: IocDependencies, term: SearchTerm): FoundReports {
  if (term.kind === 'file') return findReports(deps, { sha256: term.sha256 });
  if (term.kind === 'part') return searchPart(deps, term.input);
  return inSequence(term.addresses.map(({ host, port }) => findReports(deps, { host, port })));
}

/** One after the other, at most `MAX_REPORTS` of each. */
export function inSequence(found: readonly FoundReports[]): FoundReports {
  async function* read(): AsyncGenerator<readonly ExportedReport[], void> {
    for (const { parts } of found) yield* parts;
  }
  return { parts: read(), isCut: () => found.some((one) => one.isCut()) };
}

/** Reports with a part of a name, at most as many as a search returns. */
function searchPart({ store }: IocDependencies, input: SearchInput): FoundReports {
  let isCut = false;
  async function* read(): AsyncGenerator<readonly ExportedReport[], void> {
    const { hits, hasMore } = await store.search.search({ input, limit: MAX_SEARCH_HITS });
    isCut = hasMore;
    for (const hit of hits) {
      if (hit.kind !== 'report') continue;
      const version = await store.published.find(undefined, hit.report.id);
      if (version !== undefined && 'report' in version) yield [version.report];
    }
  }
  return { parts: read(), isCut: () => isCut };
}

/** The report with that number, if it exists. */
export async function findReportByNumber(
  { store }: Pick<Dependencies, 'store'>,
  number: number,
): Promise<ExportedReport | undefined> {
  const [report] = await store.feeds.exportedByNumber([number]);
  return report;
}
