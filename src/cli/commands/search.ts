import type { SearchResults } from '../../client/wire.ts';
import type { Command } from '../command.ts';
import { connect } from '../connection.ts';
import { connectionOptions } from '../options/connection-options.ts';
import { wholeNumber } from '../options/filter-options.ts';
import { outputOption } from '../output/format.ts';
import { type Columns, Pages } from '../output/list.ts';

export const search: Command = {
  usage: '<text>… [--limit <n>]',
  arguments: { '<text>…': 'What to search for; several words are one text' },
  options: {
    ...connectionOptions,
    ...outputOption,
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
    const limit = wholeNumber(input.options, 'limit');
    const found = await connect(input).search(input.positionals.join(' '), { limit });
    if (found.results.length === 0) input.printMessage('Nothing was found.');
    new Pages(input, resultColumns).show(found, found.results);
  },
};

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
