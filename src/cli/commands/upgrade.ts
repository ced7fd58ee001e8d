import { readConfig } from '../../config.ts';
import { upgradeStore } from '../../server/upgrade-store.ts';
import { type Command, CommandError, EXIT } from '../command.ts';
import { requireStore } from '../store-command.ts';

export const upgrade: Command = {
  usage: '[--beside-others]',
  options: {
    'beside-others': {
      type: 'boolean',
      description:
        'Upgrade even while older nodes are connected to PostgreSQL; they then stop serving',
    },
  },
  examples: [{ command: 'rapsheet upgrade', description: 'Upgrade the store' }],
  async run({ options, print }) {
    const config = readConfig();
    const besideOthers = options['beside-others'] === true;
    if (besideOthers && config.database.kind === 'sqlite')
      throw new CommandError('--beside-others is for a store in PostgreSQL', EXIT.usage);
    await requireStore(config);
    const applied = await upgradeStore(config, { besideOthers });
    print({ applied }, describe(applied));
  },
};

function describe(applied: readonly string[]): string {
  return applied.length === 0
    ? 'The store has all migrations of this version.'
    : `The store was upgraded: ${applied.join(', ')}.`;
}
