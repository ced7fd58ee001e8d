import type { RapsheetClient } from '../../../client/client.ts';
import type { SimilarSamples } from '../../../client/wire.ts';
import { type Command, CommandError, EXIT } from '../../command.ts';
import { connect } from '../../connection.ts';
import { refuseMistyped } from '../../input/hashes.ts';
import { connectionOptions } from '../../options/connection-options.ts';
import { outputOption } from '../../output/format.ts';
import { type Columns, Pages } from '../../output/list.ts';
import { showQuota } from '../../output/show.ts';

export const sampleSimilar: Command = {
  usage: '<hash> [--by ssdeep|tlsh]|--ssdeep <digest>|--tlsh <digest>',
  arguments: { '<hash>': 'SHA-256, SHA-512 or BLAKE3 of a file' },
  options: {
    ...connectionOptions,
    ...outputOption,
    by: {
      type: 'string',
      value: 'ssdeep|tlsh',
      description: 'The digest by which files are found and ordered; ssdeep by default',
    },
    ssdeep: {
      type: 'string',
      value: '<digest>',
      description: 'The ssdeep digest of a file, which the server need not know',
    },
    tlsh: {
      type: 'string',
      value: '<digest>',
      description: 'The TLSH digest of a file, which the server need not know',
    },
  },
  examples: [
    {
      command:
        'rapsheet sample similar b98861fb5cb7d7a387f885ff49f0fdb0f0f2b78147f672c4f3d948cbd7adf8e3',
      description: 'List files that are similar to this one',
    },
    {
      command:
        'rapsheet sample similar b98861fb5cb7d7a387f885ff49f0fdb0f0f2b78147f672c4f3d948cbd7adf8e3 --by tlsh',
      description: 'List files that are close to it by TLSH',
    },
  ],
  positionals: [0, 1],
  async run(input) {
    const [hash] = input.positionals;
    const { ssdeep, tlsh, by } = input.options as Record<string, string | undefined>;
    if ([hash, ssdeep, tlsh].filter((one) => one !== undefined).length !== 1)
      throw new CommandError('give either a hash, --ssdeep or --tlsh', EXIT.usage);
    if (by !== undefined && hash === undefined)
      throw new CommandError('--by needs a hash', EXIT.usage);
    if (hash !== undefined) refuseMistyped(hash);
    const found = await search(connect(input), { hash, ssdeep, tlsh, by: by as SimilarTo['by'] });
    const pages = new Pages(input, similarColumns);
    pages.show({ similar: found.similar }, found.similar);
    if (found.similar.length === 0) input.printMessage('No file is similar.');
    if (found.quota !== undefined) input.printMessage(showQuota(found.quota));
  },
};

interface SimilarTo {
  readonly hash: string | undefined;
  readonly ssdeep: string | undefined;
  readonly tlsh: string | undefined;
  readonly by: 'ssdeep' | 'tlsh' | undefined;
}

function search(client: RapsheetClient, { hash, ssdeep, tlsh, by }: SimilarTo) {
  if (hash === undefined)
    return tlsh === undefined ? client.similarToSsdeep(ssdeep ?? '') : client.similarToTlsh(tlsh);
  return client.similar(hash, by === undefined ? {} : { by });
}

const similarColumns: Columns<SimilarSamples['similar'][number]> = [
  { name: 'score', title: 'SCORE', value: ({ score }) => score },
  { name: 'distance', title: 'DISTANCE', value: ({ distance }) => distance },
  { name: 'sha256', title: 'SHA-256', value: ({ sha256Hash }) => sha256Hash },
  { name: 'file_name', title: 'FILE', flexible: true, value: ({ fileName }) => fileName },
  {
    name: 'tags',
    title: 'TAGS',
    flexible: true,
    value: ({ tags }) => tags.map(({ name }) => name),
  },
];
