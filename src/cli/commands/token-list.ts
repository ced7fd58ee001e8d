import { presentToken } from '../../http/present.ts';
import { findAccount } from '../../operations/find-account.ts';
import type { Command } from '../command.ts';
import { onStore } from '../store-command.ts';
import { tokenTable } from '../token-table.ts';

export const tokenList: Command = {
  name: 'token list',
  usage: '<account>',
  summary: 'List the tokens of an account, without their texts',
  words: [1, 1],
  async run(input) {
    const found = await onStore(input, async (deps) => {
      const { id } = await findAccount(deps, input.words[0] ?? '');
      return deps.store.tokens.list(id);
    });
    const tokens = found.map(presentToken);
    input.print({ tokens }, tokenTable(tokens));
  },
};
