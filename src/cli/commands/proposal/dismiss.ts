import type { DismissProposalBody } from '../../../client/wire.ts';
import { type Command, CommandError, EXIT } from '../../command.ts';
import { connect } from '../../connection.ts';
import { connectionOptions } from '../../options/connection-options.ts';
import { proposalTable } from '../../output/proposal-table.ts';

export const proposalDismiss: Command = {
  usage: '<id> --reason already_known|not_malicious|wrong_service|other [--note <text>]',
  arguments: { '<id>': 'The id of the proposal' },
  options: {
    ...connectionOptions,
    reason: {
      type: 'string',
      value: 'already_known|not_malicious|wrong_service|other',
      description: 'Why it is not reported',
    },
    note: { type: 'string', value: '<text>', description: 'A note for yourself' },
  },
  examples: [
    {
      command:
        'rapsheet proposal dismiss 0198e5a0-0000-7000-8000-000000000001 --reason already_known',
      description: 'Dismiss a proposal',
    },
  ],
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
