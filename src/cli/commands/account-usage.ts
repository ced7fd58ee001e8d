import { toUsageQuery, usageQuery } from '../../http/requests/usage-query.ts';
import { presentUsage } from '../../http/responses/present.ts';
import { findAccount } from '../../operations/accounts/find-account.ts';
import { showUsage } from '../../operations/accounts/show-usage.ts';
import type { Command } from '../command.ts';
import {
  readUsageOptions,
  usageNames,
  usageOptions,
  usageUsage,
} from '../options/usage-options.ts';
import { outputOption } from '../output/format.ts';
import { printUsage } from '../output/usage-summary.ts';
import { onStore, parseInput } from '../store-command.ts';

export const accountUsage: Command = {
  name: 'account usage',
  usage: `<account> ${usageUsage}`,
  summary: 'Show the units charged to an account per day, token and operation',
  arguments: { '<account>': 'The id or the name of the account' },
  options: { ...usageOptions, ...outputOption },
  examples: [
    {
      command: 'rapsheet account usage alice --from 2026-08-01',
      description: 'Show what alice was charged since a day',
    },
  ],
  positionals: [1, 1],
  async run(input) {
    const days = toUsageQuery(parseInput(usageQuery, readUsageOptions(input), usageNames));
    await onStore(input, async (deps) => {
      const { id } = await findAccount(deps, input.positionals[0] ?? '');
      await printUsage(input, async (cursor) =>
        presentUsage(await showUsage(deps, id, { ...days, cursor })),
      );
    });
  },
};
