import type { RapsheetClient } from '../../../client/client.ts';
import { presentToken } from '../../../http/responses/present.ts';
import { findAccount } from '../../../operations/accounts/find-account.ts';
import type { Dependencies } from '../../../operations/dependencies.ts';
import type { Token } from '../../../ports/store.ts';
import type { Command, CommandInput } from '../../command.ts';
import { connect } from '../../connection.ts';
import { connectionOptions } from '../../options/connection-options.ts';
import { outputOption } from '../../output/format.ts';
import { Pages, printList } from '../../output/list.ts';
import { tokenColumns } from '../../output/token-table.ts';
import { accountOfStore, nameServer, storeOption } from '../../server-or-store.ts';
import { onStore } from '../../store-command.ts';

const PAGE = 1000;

export const tokenList: Command = {
  usage: '[<account>] [--ndjson] [--store]',
  arguments: { '<account>': 'The id or the name of the account; by default yours, on a server' },
  options: {
    ...connectionOptions,
    ...storeOption,
    ...outputOption,
    ndjson: { type: 'boolean', description: 'Print each token as a line of JSON' },
  },
  examples: [
    { command: 'rapsheet token list alice', description: 'List the tokens of alice' },
    { command: 'rapsheet token list', description: 'List your tokens' },
  ],
  positionals: [0, 1],
  async run(input) {
    const account = accountOfStore(input);
    if (account === undefined) return listOnServer(input);
    const found = await onStore(input, async (deps) => {
      const { id } = await findAccount(deps, account);
      return allTokens(deps, id);
    });
    const tokens = found.map(presentToken);
    printList(input, { result: { tokens }, columns: tokenColumns, rows: tokens });
  },
};

async function listOnServer(input: CommandInput): Promise<void> {
  const [account] = input.positionals;
  const client = connect(input);
  const pages = new Pages(input, tokenColumns);
  let cursor: string | undefined;
  do {
    const page = await readPage(client, account, cursor);
    pages.show(page, page.tokens);
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  pages.end();
  if (account !== undefined)
    nameServer(input, (url) => `Tokens of ${account} at ${url}; --store lists those of the store.`);
}

function readPage(client: RapsheetClient, account: string | undefined, cursor: string | undefined) {
  const page = { limit: PAGE, cursor };
  return account === undefined ? client.listTokens(page) : client.listAccountTokens(account, page);
}

async function allTokens({ store: { tokens } }: Dependencies, accountId: string) {
  const all: Token[] = [];
  for (let page: readonly Token[], after: string | undefined; ; after = all.at(-1)?.id) {
    page = await tokens.list(accountId, { after, limit: PAGE });
    all.push(...page);
    if (page.length < PAGE) return all;
  }
}
