import { readConfig } from '../../config.ts';
import { backUp } from '../../server/backup.ts';
import { type Command, CommandError } from '../command.ts';
import { barOf } from '../output/progress-bar.ts';

export const backup: Command = {
  name: 'backup',
  usage: '<folder> [--no-samples]',
  summary: 'Copy the store and its samples into a new folder, also while a server runs',
  options: { 'no-samples': { type: 'boolean' } },
  words: [1, 1],
  async run({ words, options, print }) {
    const folder = words[0] ?? '';
    const { manifest, missing, missingCount } = await backUp(readConfig(), folder, {
      samples: options['no-samples'] !== true,
      first: barOf('pages'),
      second: barOf('bytes'),
    });
    const { database, samples, madeAt } = manifest;
    const holds = samples === null ? 'no samples' : `${samples.count} samples`;
    print(
      { folder, madeAt, database, samples, missing: missingCount },
      `${folder} has the store as of ${madeAt}, and ${holds}.`,
    );
    if (missingCount > 0)
      throw new CommandError(
        `the backup was made, but ${missingCount} samples are missing or damaged in the store: ${missing.join(', ')}; \`rapsheet doctor\` tells more`,
      );
  },
};
