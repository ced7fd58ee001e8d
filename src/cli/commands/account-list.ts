import { presentAccount } from '../../http/present.ts';
import { listAccounts } from '../../operations/list-accounts.ts';
import { accountTable } from '../account-options.ts';
import type { Command } from '../command.ts';
import { Pages } from '../pages.ts';
import { onStore } from '../store-command.ts';

const PAGE = 1000;

export const accountList: Command = {
  name: 'account list',
  usage: '[--ndjson]',
  summary: 'List the accounts, by name',
  options: { ndjson: { type: 'boolean' } },
  async run(input) {
    const pages = new Pages(input, accountTable);
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
