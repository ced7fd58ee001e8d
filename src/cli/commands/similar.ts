import type { SimilarSamples } from '../../client/wire.ts';
import { type Command, CommandError, EXIT } from '../command.ts';
import { connect, connectionOptions } from '../connection.ts';
import { refuseMistyped } from '../input/hashes.ts';
import { outputOption } from '../output/format.ts';
import { type Columns, Pages } from '../output/list.ts';
import { showQuota } from '../output/show.ts';

export const similar: Command = {
  name: 'similar',
  usage: '<hash>|--ssdeep <digest>',
  summary: 'List files that are similar to a file, best match first; costs a unit',
  arguments: { '<hash>': 'SHA-256, SHA-512 or BLAKE3 of a file' },
  options: {
    ...connectionOptions,
    ...outputOption,
    ssdeep: {
      type: 'string',
      value: '<digest>',
      description: 'The ssdeep digest of a file, which the server need not know',
    },
  },
  examples: [
    {
      command: 'rapsheet similar b98861fb5cb7d7a387f885ff49f0fdb0f0f2b78147f672c4f3d948cbd7adf8e3',
      description: 'List files that are similar to this one',
    },
  ],
  positionals: [0, 1],
  async run(input) {
    const [hash] = input.positionals;
    const { ssdeep } = input.options as Record<string, string | undefined>;
    if ((hash === undefined) === (ssdeep === undefined))
      throw new CommandError('give either a hash or --ssdeep', EXIT.usage);
    if (hash !== undefined) refuseMistyped(hash);
    const client = connect(input);
    const found = await (hash === undefined
      ? client.similarToSsdeep(ssdeep ?? '')
      : client.similar(hash));
    const pages = new Pages(input, similarColumns);
    pages.show({ similar: found.similar }, found.similar);
    if (found.similar.length === 0) input.printMessage('No file is similar.');
    if (found.quota !== undefined) input.printMessage(showQuota(found.quota));
  },
};

const similarColumns: Columns<SimilarSamples['similar'][number]> = [
  { name: 'score', title: 'SCORE', value: ({ score }) => score },
  { name: 'sha256', title: 'SHA-256', value: ({ sha256Hash }) => sha256Hash },
  { name: 'file_name', title: 'FILE', flexible: true, value: ({ fileName }) => fileName },
  {
    name: 'tags',
    title: 'TAGS',
    flexible: true,
    value: ({ tags }) => tags.map(({ name }) => name),
  },
];
