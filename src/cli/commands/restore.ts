import { readConfig } from '../../config.ts';
import { restore as restoreFrom, unreadableSecrets } from '../../server/backup.ts';
import { explainUnreadable } from '../../server/secret-keys.ts';
import type { Command } from '../command.ts';
import { createBar } from '../output/progress-bar.ts';

export const restore: Command = {
  usage: '<folder>',
  arguments: { '<folder>': 'The folder of a backup' },
  examples: [{ command: 'rapsheet restore ./backup-2026-08-01', description: 'Restore a backup' }],
  positionals: [1, 1],
  async run({ positionals, print, printMessage }) {
    const config = readConfig();
    const { madeAt, database, samples } = await restoreFrom(config, positionals[0] ?? '', {
      first: createBar('bytes checked'),
      second: createBar('bytes'),
    });
    const holds = samples === null ? 'no samples' : `${samples.count} samples`;
    const unreadable = await unreadableSecrets(config);
    const warning = explainUnreadable(config, unreadable);
    if (warning.length > 0) printMessage(`WARNING: ${warning.join('\n  ')}\n`);
    print(
      {
        dataDir: config.dataDir,
        madeAt,
        database,
        samples,
        unreadableSecrets: unreadable.webhooks,
      },
      `${config.dataDir} has the store as of ${madeAt}, and ${holds}.`,
    );
  },
};
