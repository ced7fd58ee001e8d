import { endSessions } from '../../operations/accounts/end-sessions.ts';
import { findAccount } from '../../operations/accounts/find-account.ts';
import type { Command } from '../command.ts';
import { endedText } from '../output/ended-sessions.ts';
import { auditContextOf, onStore } from '../store-command.ts';

export const accountEndSessions: Command = {
  name: 'account end-sessions',
  usage: '<id or name> [--issued]',
  summary: 'Sign an account out in all browsers, and invalidate its unused links',
  arguments: { '<id or name>': 'The id or the name of the account' },
  options: {
    issued: {
      type: 'boolean',
      description:
        'Also revoke every token that was issued in a session of the account, directly or indirectly',
    },
  },
  examples: [
    {
      command: 'rapsheet account end-sessions alice --issued',
      description: 'Sign alice out after a session was stolen',
    },
  ],
  positionals: [1, 1],
  async run(input) {
    const issued = input.options['issued'] === true;
    const ended = await onStore(input, async (deps) => {
      const { id } = await findAccount(deps, input.positionals[0] ?? '');
      return endSessions(deps, auditContextOf(deps), id, { issued });
    });
    input.print({ ...ended, successful: true }, endedText(ended));
  },
};
