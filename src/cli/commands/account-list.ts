import { presentAccount } from '../../http/present.ts';
import { accountTable } from '../account-options.ts';
import type { Command } from '../command.ts';
import { onStore } from '../store-command.ts';

export const accountList: Command = {
  name: 'account list',
  usage: '',
  summary: 'List the accounts',
  async run(input) {
    const found = await onStore(input, (deps) => deps.store.accounts.list(deps.now()));
    const accounts = found.map(presentAccount);
    input.print({ accounts }, accountTable(accounts));
  },
};
