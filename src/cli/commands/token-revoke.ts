import { uuidParams } from '../../http/requests/parameters.ts';
import { presentToken } from '../../http/responses/present.ts';
import { revokeToken } from '../../operations/accounts/revoke-token.ts';
import type { Command } from '../command.ts';
import { tokenTable } from '../output/token-table.ts';
import { auditContextOf, onStore, parseInput } from '../store-command.ts';

export const tokenRevoke: Command = {
  name: 'token revoke',
  usage: '<id> [--issued]',
  summary: 'Revoke a token; a running server refuses its next request',
  arguments: { '<id>': 'The id of the token' },
  options: {
    issued: { type: 'boolean', description: 'Also revoke every token that was issued with it' },
  },
  examples: [
    {
      command: 'rapsheet token revoke 0192f6c1-7d4e-7c3a-9b1d-3f2a5c6e7d84',
      description: 'Revoke a token',
    },
  ],
  positionals: [1, 1],
  async run(input) {
    const { id } = parseInput(uuidParams, { id: input.positionals[0] }, { id: '<id>' });
    const token = presentToken(
      await onStore(input, (deps) =>
        revokeToken(deps, auditContextOf(deps), id, { issued: input.options['issued'] === true }),
      ),
    );
    input.print(token, tokenTable([token]));
  },
};
