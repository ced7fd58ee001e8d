import { formatListCursor, type ListView, parseListCursor } from '../domain/cursor.ts';
import { Problem } from '../domain/problem.ts';
import type { Report } from '../domain/report.ts';
import type { CountedReports } from '../ports/feed-store.ts';
import type { Dependencies } from './dependencies.ts';

export interface ListWish extends ListView {
  readonly cursor: string | undefined;
  readonly limit: number;
  /** Whether to tell how many fit on all pages. */
  readonly count: boolean;
}

export interface Listed {
  readonly reports: readonly Report[];
  /** `undefined` on the last page. */
  readonly nextCursor: string | undefined;
  /** Where it was asked for. */
  readonly counted: CountedReports | undefined;
}

/** A page of a feed, or of all of them. A cursor is good for the list that it was made for, whatever the limit. */
export async function listFeed(
  { store: { feeds } }: Dependencies,
  wish: ListWish,
): Promise<Listed> {
  const { scope, filter, order, limit } = wish;
  const secret = await feeds.secret();
  const after = wish.cursor === undefined ? undefined : parseListCursor(secret, wish, wish.cursor);
  if (wish.cursor !== undefined && after === undefined) throw new Problem('invalid_cursor');
  const { reports, next } = await feeds.list({ scope, filter, order, after, limit });
  return {
    reports,
    nextCursor: next === undefined ? undefined : formatListCursor(secret, wish, next),
    counted: wish.count ? await feeds.count(scope, filter) : undefined,
  };
}
