import type { ListOptions } from '../../client/feeds.ts';
import type { ExtendedReport } from '../../client/wire.ts';
import type { CommandInput } from '../command.ts';
import { connect, connectionOptions, connectionUsage } from '../connection.ts';
import { filterOptions, filterUsage, readChoice, wholeNumber } from '../options/filter-options.ts';
import { Pages } from '../output/pages.ts';
import { visible } from '../output/show.ts';
import { ALL_FEEDS, reportTable } from './feed-table.ts';

/** Whoever wants them all waits less with fewer calls. */
const PAGE_OF_ALL = 1000;

export const listUsage = `${filterUsage()} [--order asc|desc] [--limit <n>] [--cursor <cursor>] [--all] [--ndjson] ${connectionUsage}`;

export const listOptions = {
  ...connectionOptions,
  ...filterOptions(),
  order: { type: 'string' },
  limit: { type: 'string' },
  cursor: { type: 'string' },
  all: { type: 'boolean' },
  ndjson: { type: 'boolean' },
} as const;

/** One page of the reports of a feed, or all of them. What is not said is taken from the wish. */
export async function listReports(input: CommandInput, wish: ListOptions): Promise<void> {
  const [service = ''] = input.words;
  const { options, tell } = input;
  const isAll = options['all'] === true;
  const asked = readList(options, isAll, wish);
  const client = connect(input);
  const pages = new Pages<ExtendedReport>(input, (reports) =>
    reportTable(reports, service === ALL_FEEDS),
  );
  for (let { cursor } = asked; ; ) {
    const page = await client.listReports(service, { ...asked, cursor });
    cursor = page.nextCursor ?? undefined;
    // A page may be empty although more are to come.
    if (page.reports.length > 0 || cursor === undefined) pages.show(page, page.reports);
    if (cursor === undefined) break;
    if (isAll || page.reports.length === 0) continue;
    tell(`There are more: go on with --cursor ${visible(cursor)}, or take them all with --all.`);
    break;
  }
  pages.end();
}

function readList(
  options: CommandInput['options'],
  isAll: boolean,
  wish: ListOptions,
): ListOptions {
  const choice = readChoice(options);
  return {
    ...choice,
    status: choice.status ?? wish.status,
    order: (options['order'] ?? wish.order) as ListOptions['order'],
    limit: wholeNumber(options, 'limit') ?? (isAll ? PAGE_OF_ALL : undefined),
    cursor: options['cursor'] as string | undefined,
  };
}
