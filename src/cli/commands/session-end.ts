import { endSessions } from '../../operations/accounts/end-sessions.ts';
import { findAccount } from '../../operations/accounts/find-account.ts';
import type { Command, CommandInput } from '../command.ts';
import { connect } from '../connection.ts';
import { connectionOptions } from '../options/connection-options.ts';
import { endedText } from '../output/ended-sessions.ts';
import { accountOfStore, nameServer, storeOption } from '../server-or-store.ts';
import { auditContextOf, onStore } from '../store-command.ts';

export const sessionEnd: Command = {
  usage: '[<account>] [--issued] [--store]',
  arguments: { '<account>': 'The id or the name of the account; by default yours, on a server' },
  options: {
    ...connectionOptions,
    ...storeOption,
    issued: {
      type: 'boolean',
      description:
        'Also revoke every token that was issued in a session of the account, directly or indirectly; for your own account, only its tokens',
    },
  },
  examples: [
    { command: 'rapsheet session end', description: 'Sign out everywhere' },
    {
      command: 'rapsheet session end alice --issued',
      description: 'Sign alice out after a session was stolen',
    },
  ],
  positionals: [0, 1],
  async run(input) {
    const account = accountOfStore(input);
    if (account === undefined) return endOnServer(input);
    const issued = input.options['issued'] === true;
    const ended = await onStore(input, async (deps) => {
      const { id } = await findAccount(deps, account);
      return endSessions(deps, auditContextOf(deps), id, { issued });
    });
    input.print({ ...ended, successful: true }, endedText(ended));
  },
};

async function endOnServer(input: CommandInput): Promise<void> {
  const [account] = input.positionals;
  const issued = input.options['issued'] === true;
  const client = connect(input);
  const ended = await (account === undefined
    ? client.endSessions({ issued })
    : client.endAccountSessions(account, { issued }));
  if (account !== undefined) nameServer(input, (url) => `${account} at ${url}:`);
  input.print(ended, endedText(ended));
}
