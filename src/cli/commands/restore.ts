import { readConfig } from '../../config.ts';
import { restore as restoreFrom } from '../../server/backup.ts';
import type { Command } from '../command.ts';
import { barOf } from '../output/progress-bar.ts';

export const restore: Command = {
  name: 'restore',
  usage: '<folder>',
  summary: 'Put a backup where there is no store yet; it is checked before anything is written',
  words: [1, 1],
  async run({ words, print }) {
    const config = readConfig();
    const { madeAt, database, samples } = await restoreFrom(config, words[0] ?? '', {
      first: barOf('bytes checked'),
      second: barOf('bytes'),
    });
    const holds = samples === null ? 'no samples' : `${samples.count} samples`;
    print(
      { dataDir: config.dataDir, madeAt, database, samples },
      `${config.dataDir} has the store as of ${madeAt}, and ${holds}.`,
    );
  },
};
