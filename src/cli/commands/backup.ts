import { readConfig } from '../../config.ts';
import { backUp } from '../../server/backup.ts';
import { type Command, CommandError } from '../command.ts';
import { createBar } from '../output/progress-bar.ts';
import { requireStore } from '../store-command.ts';

export const backup: Command = {
  usage: '<folder> [--no-samples]',
  arguments: { '<folder>': 'The folder to create' },
  options: { 'no-samples': { type: 'boolean', description: 'Leave the sample files out' } },
  examples: [{ command: 'rapsheet backup ./backup-2026-08-01', description: 'Back up everything' }],
  positionals: [1, 1],
  async run({ positionals, options, print }) {
    const folder = positionals[0] ?? '';
    const config = readConfig();
    // A backup of PostgreSQL is refused with what to use instead.
    if (config.database.kind === 'sqlite') await requireStore(config);
    const { manifest, missing, missingCount } = await backUp(config, folder, {
      samples: options['no-samples'] !== true,
      first: createBar('pages'),
      second: createBar('bytes'),
    });
    const { database, samples, madeAt } = manifest;
    const holds = samples === null ? 'no samples' : `${samples.count} samples`;
    print(
      { folder, madeAt, database, samples, missing: missingCount },
      `${folder} has the store as of ${madeAt}, and ${holds}.`,
    );
    if (missingCount > 0)
      throw new CommandError(
        `the backup is complete, but ${missingCount} samples are missing or damaged in the store: ${missing.join(', ')}; \`rapsheet doctor\` shows details`,
      );
  },
};
