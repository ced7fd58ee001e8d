import { readConfig } from '../../config.ts';
import { restore as restoreFrom } from '../../server/backup.ts';
import type { Command } from '../command.ts';
import { createBar } from '../output/progress-bar.ts';

export const restore: Command = {
  name: 'restore',
  usage: '<folder>',
  summary: 'Restore a backup into an empty data folder; the backup is verified first',
  arguments: { '<folder>': 'The folder of a backup' },
  examples: [{ command: 'rapsheet restore ./backup-2026-08-01', description: 'Restore a backup' }],
  positionals: [1, 1],
  async run({ positionals, print }) {
    const config = readConfig();
    const { madeAt, database, samples } = await restoreFrom(config, positionals[0] ?? '', {
      first: createBar('bytes checked'),
      second: createBar('bytes'),
    });
    const holds = samples === null ? 'no samples' : `${samples.count} samples`;
    print(
      { dataDir: config.dataDir, madeAt, database, samples },
      `${config.dataDir} has the store as of ${madeAt}, and ${holds}.`,
    );
  },
};
