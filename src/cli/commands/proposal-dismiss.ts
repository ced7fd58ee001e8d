import type { DismissProposalBody } from '../../client/wire.ts';
import { type Command, CommandError, EXIT } from '../command.ts';
import { connect, connectionOptions } from '../connection.ts';
import { proposalTable } from '../output/proposal-table.ts';

export const proposalDismiss: Command = {
  name: 'proposal dismiss',
  usage: '<id> --reason already_known|not_malicious|wrong_service|other [--note <text>]',
  summary: 'Dismiss a proposal, so that it is no longer listed as open',
  options: { ...connectionOptions, reason: { type: 'string' }, note: { type: 'string' } },
  positionals: [1, 1],
  async run(input) {
    const [id = ''] = input.positionals;
    const { reason, note } = input.options as Record<string, string | undefined>;
    if (reason === undefined)
      throw new CommandError('--reason is required: see --help', EXIT.usage);
    const body = { reason: reason as DismissProposalBody['reason'], note };
    const dismissed = await connect(input).dismissProposal(id, body);
    input.print(dismissed, proposalTable([dismissed.proposal]));
  },
};
