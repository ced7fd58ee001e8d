import { presentAccount } from '../../../http/responses/present.ts';
import { listAccounts } from '../../../operations/accounts/list-accounts.ts';
import type { Command } from '../../command.ts';
import { accountColumns } from '../../options/account-options.ts';
import { ndjsonOption, outputOption } from '../../output/format.ts';
import { Pages } from '../../output/list.ts';
import { onStore } from '../../store-command.ts';

const PAGE = 1000;

export const accountList: Command = {
  usage: '[--ndjson]',
  options: {
    ...outputOption,
    ...ndjsonOption,
  },
  examples: [{ command: 'rapsheet account list', description: 'List the accounts' }],
  async run(input) {
    const pages = new Pages(input, accountColumns);
    await onStore(input, async (deps) => {
      let cursor: string | undefined;
      do {
        const { accounts: found, nextCursor } = await listAccounts(deps, { cursor, limit: PAGE });
        const accounts = found.map(presentAccount);
        pages.show({ accounts }, accounts);
        cursor = nextCursor;
      } while (cursor !== undefined);
    });
    pages.end();
  },
};
