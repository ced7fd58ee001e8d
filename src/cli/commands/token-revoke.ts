import { uuidParams } from '../../http/requests/parameters.ts';
import { presentToken } from '../../http/responses/present.ts';
import { revokeToken } from '../../operations/accounts/revoke-token.ts';
import type { Command } from '../command.ts';
import { tokenTable } from '../output/token-table.ts';
import { obeying, onStore, operatorOf } from '../store-command.ts';

export const tokenRevoke: Command = {
  name: 'token revoke',
  usage: '<id> [--issued]',
  summary: 'Revoke a token; a running server refuses it from its next request on',
  options: { issued: { type: 'boolean' } },
  words: [1, 1],
  async run(input) {
    const { id } = obeying(uuidParams, { id: input.words[0] });
    const token = presentToken(
      await onStore(input, (deps) =>
        revokeToken(deps, operatorOf(deps), id, { issued: input.options['issued'] === true }),
      ),
    );
    input.print(token, tokenTable([token]));
  },
};
