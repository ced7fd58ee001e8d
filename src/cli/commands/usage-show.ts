import { toUsageQuery, usageQuery } from '../../http/requests/usage-query.ts';
import { presentUsage } from '../../http/responses/present.ts';
import { findAccount } from '../../operations/accounts/find-account.ts';
import { showUsage } from '../../operations/accounts/show-usage.ts';
import { type Command, CommandError, type CommandInput, EXIT } from '../command.ts';
import { connect } from '../connection.ts';
import { connectionOptions } from '../options/connection-options.ts';
import {
  readUsageOptions,
  usageNames,
  usageOptions,
  usageUsage,
} from '../options/usage-options.ts';
import { outputOption, refuseListOutput } from '../output/format.ts';
import { showBalance } from '../output/show.ts';
import { printUsage } from '../output/usage-summary.ts';
import { accountOfStore, nameServer, storeOption } from '../server-or-store.ts';
import { onStore, parseInput } from '../store-command.ts';

const PAGE = 1000;

export const usageShow: Command = {
  usage: `[<account>] ${usageUsage} [--store] | --balance`,
  arguments: { '<account>': 'The id or the name of the account; by default yours, on a server' },
  options: {
    ...usageOptions,
    balance: { type: 'boolean', description: 'Only how many units you have left' },
    ...connectionOptions,
    ...storeOption,
    ...outputOption,
  },
  examples: [
    { command: 'rapsheet usage show', description: 'Show the last 90 days' },
    { command: 'rapsheet usage show --balance', description: 'Show the remaining quota' },
    {
      command: 'rapsheet usage show alice --from 2026-08-01',
      description: 'Show what alice was charged since a day',
    },
  ],
  positionals: [0, 1],
  async run(input) {
    if (input.options['balance'] === true) return printBalance(input);
    const account = accountOfStore(input);
    if (account === undefined) return usageOnServer(input);
    const days = toUsageQuery(parseInput(usageQuery, readUsageOptions(input), usageNames));
    await onStore(input, async (deps) => {
      const { id } = await findAccount(deps, account);
      await printUsage(input, async (cursor) =>
        presentUsage(await showUsage(deps, id, { ...days, cursor })),
      );
    });
  },
};

async function printBalance(input: CommandInput): Promise<void> {
  const excess = ['store', ...Object.keys(usageOptions)].find((name) => input.options[name]);
  if (excess !== undefined)
    throw new CommandError(`--balance and --${excess} exclude each other`, EXIT.usage);
  if (input.positionals.length > 0)
    throw new CommandError('--balance is yours: `account show` has that of another', EXIT.usage);
  refuseListOutput(input, 'balance');
  const remaining = await connect(input).balance();
  input.print(remaining, showBalance(remaining));
}

async function usageOnServer(input: CommandInput): Promise<void> {
  const [account] = input.positionals;
  const client = connect(input);
  const days = readUsageOptions(input);
  await printUsage(input, (cursor) => {
    const request = { ...days, cursor, limit: PAGE };
    return account === undefined
      ? client.usage(request)
      : client.showAccountUsage(account, request);
  });
  if (account !== undefined)
    nameServer(input, (url) => `Usage of ${account} at ${url}; --store shows that in the store.`);
}
