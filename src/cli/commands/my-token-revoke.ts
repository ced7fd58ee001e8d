import type { Command } from '../command.ts';
import { connect, connectionOptions } from '../connection.ts';
import { tokenTable } from '../output/token-table.ts';

export const myTokenRevoke: Command = {
  name: 'my-token revoke',
  usage: '<id> [--issued]',
  summary: 'Revoke a token of your account, by its id',
  arguments: { '<id>': 'The id that my-token list shows' },
  options: {
    ...connectionOptions,
    issued: {
      type: 'boolean',
      description: 'Also revoke every token that was issued with it, directly or indirectly',
    },
  },
  examples: [
    {
      command: 'rapsheet my-token revoke 0192f6c1-7d4e-7c3a-9b1d-3f2a5c6e7d83',
      description: 'Revoke a token that was lost',
    },
  ],
  positionals: [1, 1],
  async run(input) {
    const [id = ''] = input.positionals;
    const issued = input.options['issued'] === true;
    const token = await connect(input).revokeToken(id, { issued });
    input.print(token, tokenTable([token]));
  },
};
