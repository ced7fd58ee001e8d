import { Problem } from '../../domain/problem.ts';
import { formatListCursor, type ListView, parseListCursor } from '../../domain/reports/cursor.ts';
import type { SerializedReport } from '../../domain/reports/report.ts';
import type {
  CountedReports,
  FeedStore,
  ListQuery,
  Present,
  ReportText,
} from '../../ports/feed-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { MAX_SINGLE_READ, readInParts, singlePart } from './page-parts.ts';

export interface ListRequest extends ListView {
  readonly cursor: string | undefined;
  readonly limit: number;
  /** Whether to count the matching reports of all pages. */
  readonly count: boolean;
}

export interface Listed<Content> {
  /**
   * The reports of the page, presented. A report that is deleted, or no longer matches, before its
   * part is read is left out.
   */
  readonly parts: AsyncGenerator<Content, void>;
  /** `undefined` on the last page. */
  readonly nextCursor: string | undefined;
  /** `undefined` if the request did not ask for it. */
  readonly counted: CountedReports | undefined;
}

/** Returns a page of one feed or of all. A cursor is valid for the same list, with any limit. */
export async function listFeed<Content>(
  { store: { feeds } }: Dependencies,
  request: ListRequest,
  present: Present<ReportText, Content>,
): Promise<Listed<Content>> {
  const { scope, filter, order, limit } = request;
  const secret = await feeds.secret();
  const after =
    request.cursor === undefined ? undefined : parseListCursor(secret, request, request.cursor);
  if (request.cursor !== undefined && after === undefined) throw new Problem('invalid_cursor');
  const { parts, next } = await readPage(feeds, { scope, filter, order, after, limit }, present);
  return {
    parts,
    nextCursor: next === undefined ? undefined : formatListCursor(secret, request, next),
    counted: request.count ? await feeds.count(scope, filter) : undefined,
  };
}

type Page<Content> = Pick<Listed<Content>, 'parts'> & { readonly next: string | undefined };

/** The content of a long page and the start of the next are fixed before its reports are read. */
async function readPage<Content>(
  feeds: FeedStore,
  query: ListQuery,
  present: Present<ReportText, Content>,
): Promise<Page<Content>> {
  if (query.limit <= MAX_SINGLE_READ) {
    const { reports, next } = await feeds.list(query, present);
    return { parts: singlePart(reports), next };
  }
  const { numbers, next } = await feeds.listNumbers(query);
  const { status } = query.filter;
  // The status is the only filtered field that can have changed since the numbers were read.
  const matches = (report: SerializedReport) =>
    status === undefined ? report.status !== 'expired' : report.status === status;
  const read = async (part: readonly number[]) =>
    present((await feeds.reportsByNumber(part)).filter(matches));
  return { parts: readInParts(numbers, read), next };
}
