import type { Command, CommandInput } from '../command.ts';
import { connect, connectionOptions, connectionUsage } from '../connection.ts';
import { ALL_FEEDS, type ChangeOfSome, changeTable } from '../feeds/feed-table.ts';
import { wholeNumber } from '../options/filter-options.ts';
import { Pages } from '../output/pages.ts';
import { visible } from '../output/show.ts';

const PAGE_OF_ALL = 1000;

export const feedChanges: Command = {
  name: 'feed changes',
  usage: `<service|all> [--since <n>] [--limit <n>] [--all] [--ndjson] ${connectionUsage}`,
  summary: 'List what was created, changed and deleted in a feed after a number',
  options: {
    ...connectionOptions,
    since: { type: 'string' },
    limit: { type: 'string' },
    all: { type: 'boolean' },
    ndjson: { type: 'boolean' },
  },
  words: [1, 1],
  run: listChanges,
};

async function listChanges(input: CommandInput): Promise<void> {
  const [service = ''] = input.words;
  const { options, tell } = input;
  const isAll = options['all'] === true;
  const limit = wholeNumber(options, 'limit') ?? (isAll ? PAGE_OF_ALL : undefined);
  const client = connect(input);
  const isOfAll = service === ALL_FEEDS;
  const pages = new Pages<ChangeOfSome>(input, (changes) => changeTable(changes, isOfAll));
  let since = options['since'] as string | undefined;
  for (let hasMore = true; hasMore; ) {
    const asked = { since, limit };
    const page = await (isOfAll ? client.allChanges(asked) : client.feedChanges(service, asked));
    pages.show(page, page.changes);
    since = String(page.next);
    hasMore = isAll && page.hasMore;
    if (hasMore) continue;
    const more = page.hasMore ? 'There are more: go on' : 'That is all so far; go on';
    tell(`${more} with --since ${visible(since)}.`);
  }
}
