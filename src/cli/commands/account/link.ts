import { presentLink } from '../../../http/responses/present-session.ts';
import { createLink } from '../../../operations/accounts/create-link.ts';
import { findAccount } from '../../../operations/accounts/find-account.ts';
import type { Command } from '../../command.ts';
import { auditContextOf, onStore } from '../../store-command.ts';

export const accountLink: Command = {
  usage: '<id or name> [--invitation]',
  arguments: { '<id or name>': 'The id or the name of the account' },
  options: { invitation: { type: 'boolean', description: 'A link that is valid for 7 days' } },
  examples: [
    { command: 'rapsheet account link admin', description: 'Sign in as the administrator' },
    { command: 'rapsheet account link alice --invitation', description: 'Invite alice' },
  ],
  positionals: [1, 1],
  async run(input) {
    const purpose = input.options['invitation'] === true ? 'invitation' : 'sign-in';
    const link = await onStore(input, async (deps) => {
      const { id } = await findAccount(deps, input.positionals[0] ?? '');
      return createLink(deps, auditContextOf(deps), id, { purpose });
    });
    const shown = presentLink(link);
    // Only the link goes to standard output, so that a script can use it.
    if (!input.json) input.printMessage(`Good once, until ${shown.expiresAt}:`);
    input.print(shown, shown.link);
  },
};
