import type { Command } from '../command.ts';
import { connect, connectionOptions } from '../connection.ts';
import { outputOption } from '../output/format.ts';
import { Pages } from '../output/list.ts';
import { tokenColumns } from '../output/token-table.ts';

export const myTokenList: Command = {
  name: 'my-token list',
  usage: '[--ndjson]',
  summary: 'List the tokens of your account, without their values',
  options: {
    ...connectionOptions,
    ...outputOption,
    ndjson: { type: 'boolean', description: 'Print each token as a line of JSON' },
  },
  examples: [{ command: 'rapsheet my-token list', description: 'List your tokens' }],
  async run(input) {
    const client = connect(input);
    const pages = new Pages(input, tokenColumns);
    let cursor: string | undefined;
    do {
      const page = await client.listTokens({ limit: 1000, cursor });
      pages.show(page, page.tokens);
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined);
    pages.end();
  },
};
