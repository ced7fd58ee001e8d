import type { SearchResults } from '../../client/wire.ts';
import { type Command, CommandError, EXIT } from '../command.ts';
import { connect, connectionOptions } from '../connection.ts';
import { table } from '../output/table.ts';

export const search: Command = {
  name: 'search',
  usage: '<text>… [--limit <n>]',
  summary: 'Search all feeds and samples for a hash, C2, host, tag, family, account or free text',
  arguments: { '<text>…': 'What to search for; several words are one text' },
  options: {
    ...connectionOptions,
    limit: {
      type: 'string',
      value: '<n>',
      description: 'The largest number of results: 25 by default, at most 100',
    },
  },
  examples: [
    { command: 'rapsheet search tunnel.ply.example', description: 'Search for a host' },
    {
      command: "rapsheet search '*.ply.example' --limit 100",
      description: 'Search for all hosts below a name',
    },
  ],
  positionals: [1, Number.POSITIVE_INFINITY],
  async run(input) {
    const limit = readLimit(input.options['limit']);
    const found = await connect(input).search(input.positionals.join(' '), { limit });
    if (found.results.length === 0) input.printMessage('Nothing was found.');
    input.print(found, found.results.length === 0 ? '' : resultTable(found.results));
  },
};

function readLimit(text: unknown): number | undefined {
  if (text === undefined) return undefined;
  if (typeof text === 'string' && /^\d{1,9}$/.test(text)) return Number(text);
  throw new CommandError('--limit must be a whole number', EXIT.usage);
}

function resultTable(results: SearchResults['results']): string {
  return table(
    ['TYPE', 'FITS', 'NAME', 'C2 OR TAGS', 'SERVICE', 'STATUS', 'REPORTED', 'ID OR SHA-256'],
    results.map(toRow),
  );
}

function toRow(found: SearchResults['results'][number]): readonly string[] {
  const { type, match } = found;
  if (type === 'sample') {
    const tags = found.tags.map(({ name }) => name).join(', ');
    return [type, match, found.fileName, tags, '', '', '', found.sha256Hash];
  }
  const { name, c2Address, service, status, reportedAt, id } = found.report;
  return [type, match, name, c2Address, service, status, reportedAt, id];
}
