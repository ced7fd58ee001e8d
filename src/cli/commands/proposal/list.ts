import type { Proposal } from '../../../client/wire.ts';
import type { Command } from '../../command.ts';
import { connect } from '../../connection.ts';
import { connectionOptions } from '../../options/connection-options.ts';
import { ndjsonOption, outputOption } from '../../output/format.ts';
import { Pages } from '../../output/list.ts';
import { proposalColumns } from '../../output/proposal-table.ts';

const ALL = 'all';

export const proposalList: Command = {
  usage: '[--state open|reported|dismissed|all] [--hash <sha256>] [--ndjson]',
  options: {
    ...connectionOptions,
    ...outputOption,
    state: {
      type: 'string',
      value: 'open|reported|dismissed|all',
      description: 'Only the proposals in this state; open by default',
    },
    hash: { type: 'string', value: '<sha256>', description: 'Only the proposals for this file' },
    ...ndjsonOption,
  },
  examples: [
    { command: 'rapsheet proposal list', description: 'List the open proposals' },
    {
      command:
        'rapsheet proposal list --hash b98861fb5cb7d7a387f885ff49f0fdb0f0f2b78147f672c4f3d948cbd7adf8e3 --state all',
      description: 'List what was proposed for a file',
    },
  ],
  async run(input) {
    const client = connect(input);
    const { state = 'open', hash } = input.options as Record<string, string | undefined>;
    const pages = new Pages(input, proposalColumns);
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
