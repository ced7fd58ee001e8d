import type { Command, CommandInput } from '../../command.ts';
import { connect } from '../../connection.ts';
import { ALL_FEEDS, changeColumns } from '../../feeds/feed-table.ts';
import { connectionOptions } from '../../options/connection-options.ts';
import { wholeNumber } from '../../options/filter-options.ts';
import { ndjsonOption, outputOption } from '../../output/format.ts';
import { Pages } from '../../output/list.ts';
import { visible } from '../../output/show.ts';

/** With `--all`, larger pages need fewer calls. */
const LARGE_PAGE = 1000;

export const feedChanges: Command = {
  usage: '<service>|all [--since <n>|head] [--limit <n>] [--all] [--ndjson]',
  arguments: { '<service>|all': 'The slug of the service, or all for every feed' },
  options: {
    ...connectionOptions,
    ...outputOption,
    since: {
      type: 'string',
      value: '<n>|head',
      description: 'Only the changes after this position; head lists none',
    },
    limit: {
      type: 'string',
      value: '<n>',
      description: 'The largest number of changes: 100 by default, at most 1000',
    },
    all: { type: 'boolean', description: 'Read all pages' },
    ...ndjsonOption,
  },
  examples: [
    { command: 'rapsheet feed changes ply', description: 'List the first changes that are kept' },
    {
      command: 'rapsheet feed changes ply --since 100 --all --ndjson',
      description: 'List all changes after a position, one per line',
    },
  ],
  positionals: [1, 1],
  run: listChanges,
};

async function listChanges(input: CommandInput): Promise<void> {
  const [service = ''] = input.positionals;
  const { options, printMessage } = input;
  const isAll = options['all'] === true;
  const limit = wholeNumber(options, 'limit') ?? (isAll ? LARGE_PAGE : undefined);
  const client = connect(input);
  const isAllFeeds = service === ALL_FEEDS;
  const pages = new Pages(input, changeColumns(isAllFeeds));
  let since = options['since'] as string | undefined;
  for (let hasMore = true; hasMore; ) {
    const range = { since, limit };
    const page = await (isAllFeeds ? client.allChanges(range) : client.feedChanges(service, range));
    pages.show(page, page.changes);
    since = String(page.next);
    hasMore = isAll && page.hasMore;
    if (hasMore) continue;
    const more = page.hasMore ? 'There are more: continue' : 'No more changes yet; continue';
    printMessage(`${more} with --since ${visible(since)}.`);
  }
}
