import { presentToken } from '../../http/responses/present.ts';
import { findAccount } from '../../operations/accounts/find-account.ts';
import type { Dependencies } from '../../operations/dependencies.ts';
import type { Token } from '../../ports/store.ts';
import type { Command } from '../command.ts';
import { outputOption } from '../output/format.ts';
import { printList } from '../output/list.ts';
import { tokenColumns } from '../output/token-table.ts';
import { onStore } from '../store-command.ts';

const PAGE = 1000;

export const tokenList: Command = {
  name: 'token list',
  usage: '<account>',
  summary: 'List the tokens of an account, without their values',
  arguments: { '<account>': 'The id or the name of the account' },
  options: outputOption,
  examples: [{ command: 'rapsheet token list alice', description: 'List the tokens of alice' }],
  positionals: [1, 1],
  async run(input) {
    const found = await onStore(input, async (deps) => {
      const { id } = await findAccount(deps, input.positionals[0] ?? '');
      return allTokens(deps, id);
    });
    const tokens = found.map(presentToken);
    printList(input, { result: { tokens }, columns: tokenColumns, rows: tokens });
  },
};

async function allTokens({ store: { tokens } }: Dependencies, accountId: string) {
  const all: Token[] = [];
  for (let page: readonly Token[], after: string | undefined; ; after = all.at(-1)?.id) {
    page = await tokens.list(accountId, { after, limit: PAGE });
    all.push(...page);
    if (page.length < PAGE) return all;
  }
}
