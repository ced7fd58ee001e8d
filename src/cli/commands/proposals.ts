import type { Proposal } from '../../client/wire.ts';
import type { Command } from '../command.ts';
import { connect, connectionOptions } from '../connection.ts';
import { outputOption } from '../output/format.ts';
import { Pages } from '../output/list.ts';
import { proposalColumns } from '../output/proposal-table.ts';

const ALL = 'all';

export const proposals: Command = {
  name: 'proposals',
  usage: '[--state open|reported|dismissed|all] [--hash <sha256>] [--ndjson]',
  summary: 'List the reports that the analyses of your uploads propose, newest first',
  options: {
    ...connectionOptions,
    ...outputOption,
    state: { type: 'string' },
    hash: { type: 'string' },
    ndjson: { type: 'boolean' },
  },
  async run(input) {
    const client = connect(input);
    const { state = 'open', hash } = input.options as Record<string, string | undefined>;
    const pages = new Pages(input, proposalColumns);
    // The server validates the state, and its error lists the valid ones.
    const filter = { state: state === ALL ? undefined : (state as Proposal['state']), hash };
    let cursor: string | undefined;
    do {
      const page = await client.listProposals({ limit: 1000, cursor, ...filter });
      pages.show(page, page.proposals);
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined);
    pages.end();
  },
};
