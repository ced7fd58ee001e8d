import type { SearchListAnswer, SearchResults } from '../../client/wire.ts';
import { type Command, CommandError, type CommandInput, EXIT } from '../command.ts';
import { connect } from '../connection.ts';
import { inBatches, readTexts } from '../input/hashes.ts';
import { openLineSource, STANDARD_INPUT } from '../input/line-source.ts';
import { connectionOptions } from '../options/connection-options.ts';
import { wholeNumber } from '../options/filter-options.ts';
import { outputOption } from '../output/format.ts';
import { type Columns, Pages } from '../output/list.ts';
import { visible } from '../output/show.ts';

export const search: Command = {
  usage: '<text>…|- [--limit <n>]',
  arguments: {
    '<text>…':
      'What to search for; several words are one text. - reads a list from standard input: a hash, the first 8 digits of one or more, an address or a network per line',
  },
  options: {
    ...connectionOptions,
    ...outputOption,
    limit: {
      type: 'string',
      value: '<n>',
      description:
        'The largest number of results: 25 by default, at most 100; of a list, 5 for each line, at most 10',
    },
  },
  examples: [
    { command: 'rapsheet search tunnel.ply.example', description: 'Search for a host' },
    {
      command: "rapsheet search '*.ply.example' --limit 100",
      description: 'Search for all hosts below a name',
    },
    { command: 'rapsheet search 203.0.113.0/24', description: 'Search for a network' },
  ],
  positionals: [1, Number.POSITIVE_INFINITY],
  async run(input) {
    if (input.positionals.includes(STANDARD_INPUT)) return searchLines(input);
    const limit = wholeNumber(input.options, 'limit');
    const found = await connect(input).search(input.positionals.join(' '), { limit });
    if (found.results.length === 0) input.printMessage('Nothing was found.');
    new Pages(input, resultColumns).show(found, found.results);
    if (found.hasMore) input.printMessage('There may be more; --limit 100 shows the most.');
  },
};

const LINES_OF_CALL = 100;

/** Searches for each line of standard input. */
async function searchLines(input: CommandInput): Promise<void> {
  if (input.positionals.length > 1)
    throw new CommandError('- reads standard input, and is the only argument then', EXIT.usage);
  const client = connect(input);
  const limit = wholeNumber(input.options, 'limit');
  const pages = new Pages(input, listColumns);
  let count = 0;
  for await (const lines of inBatches(readTexts(openLineSource('-').stream), LINES_OF_CALL)) {
    const answered = await client.searchList(lines, { limit });
    pages.show(answered, answered.answers.flatMap(rowsOf));
    count += lines.length;
  }
  if (count === 0) throw new CommandError('standard input has no lines', EXIT.usage);
}

interface ListRow {
  readonly query: string;
  readonly found?: FoundResult;
  /** Instead of a result, or beside the last one. */
  readonly note?: string;
}

function rowsOf({ query, results, hasMore, error }: SearchListAnswer): readonly ListRow[] {
  if (results.length === 0) return [{ query, note: error ?? 'Nothing was found.' }];
  return results.map((found, index) => ({
    query,
    found,
    ...(hasMore && index === results.length - 1 && { note: 'There may be more.' }),
  }));
}

type FoundResult = SearchResults['results'][number];

const resultColumns: Columns<FoundResult> = [
  { name: 'type', title: 'TYPE', value: ({ type }) => type },
  { name: 'match', title: 'FITS', value: ({ match }) => match },
  {
    name: 'name',
    title: 'NAME',
    flexible: true,
    value: (found) => (found.type === 'sample' ? found.fileName : found.report.name),
  },
  {
    name: 'c2',
    title: 'C2 OR TAGS',
    value: (found) => reportOf(found)?.c2Address,
    text: (found) => reportOf(found)?.c2Address ?? tagsOf(found).join(', '),
  },
  { name: 'tags', value: tagsOf },
  { name: 'service', title: 'SERVICE', value: (found) => reportOf(found)?.service },
  { name: 'status', title: 'STATUS', value: (found) => reportOf(found)?.status },
  { name: 'reported_at', title: 'REPORTED', value: (found) => reportOf(found)?.reportedAt },
  {
    name: 'id',
    title: 'ID OR SHA-256',
    value: (found) => reportOf(found)?.id,
    text: (found) => (found.type === 'sample' ? found.sha256Hash : found.report.id),
  },
  {
    name: 'sha256',
    value: (found) => (found.type === 'sample' ? found.sha256Hash : found.report.file256Hash),
  },
];

function reportOf(found: FoundResult) {
  return found.type === 'sample' ? undefined : found.report;
}

function tagsOf(found: FoundResult): readonly string[] {
  return found.type === 'sample' ? found.tags.map(({ name }) => name) : found.report.tags;
}

const listColumns: Columns<ListRow> = [
  {
    name: 'query',
    title: 'QUERY',
    value: ({ query }) => query,
    text: ({ query }) => visible(query),
  },
  ...resultColumns.map(({ text, value, ...column }) => ({
    ...column,
    value: ({ found }: ListRow) => found && value(found),
    ...(text !== undefined && { text: ({ found }: ListRow) => (found ? text(found) : '') }),
  })),
  { name: 'note', title: 'NOTE', value: ({ note }) => note },
];
