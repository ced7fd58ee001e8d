import { RapsheetError } from '../../../client/error.ts';
import { uuidParams } from '../../../http/requests/parameters.ts';
import { presentToken } from '../../../http/responses/present.ts';
import { revokeToken } from '../../../operations/accounts/revoke-token.ts';
import type { Command, CommandInput } from '../../command.ts';
import { connect } from '../../connection.ts';
import { connectionOptions } from '../../options/connection-options.ts';
import { tokenTable } from '../../output/token-table.ts';
import { nameServer, storeOption, usesStore } from '../../server-or-store.ts';
import { auditContextOf, onStore, parseInput } from '../../store-command.ts';

export const tokenRevoke: Command = {
  usage: '<id> [--issued] [--store]',
  arguments: { '<id>': 'The id that token list shows; on a server, of a token of yours' },
  options: {
    ...connectionOptions,
    ...storeOption,
    issued: {
      type: 'boolean',
      description: 'Also revoke every token that was issued with it, directly or indirectly',
    },
  },
  examples: [
    {
      command: 'rapsheet token revoke 0192f6c1-7d4e-7c3a-9b1d-3f2a5c6e7d84',
      description: 'Revoke a token that was lost',
    },
  ],
  positionals: [1, 1],
  async run(input) {
    const token = await (usesStore(input) ? revokeInStore(input) : revokeOnServer(input));
    input.print(token, tokenTable([token]));
  },
};

/** Only those of the caller, so that a mistake cannot revoke the token of another. */
async function revokeOnServer(input: CommandInput) {
  const [id = ''] = input.positionals;
  try {
    return await connect(input).revokeToken(id, { issued: input.options['issued'] === true });
  } catch (cause) {
    if (cause instanceof RapsheetError && cause.status === 404)
      nameServer(
        input,
        (url) => `Not a token of yours at ${url}; --store revokes any in the store.`,
      );
    throw cause;
  }
}

async function revokeInStore(input: CommandInput) {
  const { id } = parseInput(uuidParams, { id: input.positionals[0] }, { id: '<id>' });
  const issued = input.options['issued'] === true;
  return presentToken(
    await onStore(input, (deps) => revokeToken(deps, auditContextOf(deps), id, { issued })),
  );
}
