import type { ListOptions } from '../../client/feeds.ts';
import type { CommandInput, CommandOptions } from '../command.ts';
import { connect } from '../connection.ts';
import { connectionOptions } from '../options/connection-options.ts';
import { filterOptions, filterUsage, readFilter, wholeNumber } from '../options/filter-options.ts';
import { ndjsonOption, outputOption } from '../output/format.ts';
import { Pages } from '../output/list.ts';
import { visible } from '../output/show.ts';
import { ALL_FEEDS, reportColumns } from './feed-table.ts';

/** With `--all`, larger pages need fewer calls. */
const LARGE_PAGE = 1000;

export const listUsage = `${filterUsage()} [--order asc|desc] [--limit <n>] [--cursor <cursor>] [--all] [--ndjson]`;

export const listOptions = {
  ...connectionOptions,
  ...filterOptions(),
  ...outputOption,
  order: {
    type: 'string',
    value: 'asc|desc',
    description: 'By time of creation: desc shows the newest first',
  },
  limit: {
    type: 'string',
    value: '<n>',
    description: 'The largest number of reports: 100 by default, at most 1000',
  },
  cursor: { type: 'string', value: '<cursor>', description: 'Continue after the previous page' },
  all: { type: 'boolean', description: 'Read all pages' },
  ...ndjsonOption,
} as const satisfies CommandOptions;

/** Prints one page of the reports of a feed, or all pages. Options override `defaults`. */
export async function listReports(input: CommandInput, defaults: ListOptions): Promise<void> {
  const [service = ''] = input.positionals;
  const { options, printMessage } = input;
  const isAll = options['all'] === true;
  const request = readList(options, isAll, defaults);
  const client = connect(input);
  const pages = new Pages(input, reportColumns(service === ALL_FEEDS));
  for (let { cursor } = request; ; ) {
    const page = await client.listReports(service, { ...request, cursor });
    cursor = page.nextCursor ?? undefined;
    // A page in the middle may be empty.
    if (page.reports.length > 0 || cursor === undefined) pages.show(page, page.reports);
    if (cursor === undefined) break;
    if (isAll || page.reports.length === 0) continue;
    printMessage(
      `There are more: continue with --cursor ${visible(cursor)}, or list all with --all.`,
    );
    break;
  }
  pages.end();
}

function readList(
  options: CommandInput['options'],
  isAll: boolean,
  defaults: ListOptions,
): ListOptions {
  const filter = readFilter(options);
  return {
    ...filter,
    status: filter.status ?? defaults.status,
    order: (options['order'] ?? defaults.order) as ListOptions['order'],
    limit: wholeNumber(options, 'limit') ?? (isAll ? LARGE_PAGE : undefined),
    cursor: options['cursor'] as string | undefined,
  };
}
