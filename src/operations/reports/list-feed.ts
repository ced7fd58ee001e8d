import { Problem } from '../../domain/problem.ts';
import { formatListCursor, type ListView, parseListCursor } from '../../domain/reports/cursor.ts';
import type { Report } from '../../domain/reports/report.ts';
import type { CountedReports, FeedStore, ListQuery } from '../../ports/feed-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { asOnePart, inParts, WHOLE_PAGE } from '../in-parts.ts';

export interface ListRequest extends ListView {
  readonly cursor: string | undefined;
  readonly limit: number;
  /** Whether to tell how many fit on all pages. */
  readonly count: boolean;
}

export interface Listed {
  /** The reports of the page. Those that are deleted, or no longer fit, before their part is read are left out. */
  readonly parts: AsyncIterable<readonly Report[]>;
  /** `undefined` on the last page. */
  readonly nextCursor: string | undefined;
  /** Where it was asked for. */
  readonly counted: CountedReports | undefined;
}

/** A page of a feed, or of all of them. A cursor is good for the list that it was made for, whatever the limit. */
export async function listFeed(
  { store: { feeds } }: Dependencies,
  wish: ListRequest,
): Promise<Listed> {
  const { scope, filter, order, limit } = wish;
  const secret = await feeds.secret();
  const after = wish.cursor === undefined ? undefined : parseListCursor(secret, wish, wish.cursor);
  if (wish.cursor !== undefined && after === undefined) throw new Problem('invalid_cursor');
  const { parts, next } = await readPage(feeds, { scope, filter, order, after, limit });
  return {
    parts,
    nextCursor: next === undefined ? undefined : formatListCursor(secret, wish, next),
    counted: wish.count ? await feeds.count(scope, filter) : undefined,
  };
}

interface Page {
  readonly parts: AsyncIterable<readonly Report[]>;
  readonly next: string | undefined;
}

/** What is in a long page, and where the next one begins, is known before any of its reports is read. */
async function readPage(feeds: FeedStore, query: ListQuery): Promise<Page> {
  if (query.limit <= WHOLE_PAGE) {
    const { reports, next } = await feeds.list(query);
    return { parts: asOnePart(reports), next };
  }
  const { numbers, next } = await feeds.listNumbers(query);
  const { status } = query.filter;
  // Of all that a filter asks for, only the status can have changed meanwhile.
  const fits = (report: Report) =>
    status === undefined ? report.status !== 'expired' : report.status === status;
  const read = async (part: readonly number[]) => (await feeds.reportsByNumber(part)).filter(fits);
  return { parts: inParts(numbers, read), next };
}
