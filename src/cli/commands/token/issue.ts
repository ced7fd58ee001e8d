import { tokenBody } from '../../../http/requests/admin-fields.ts';
import { presentToken } from '../../../http/responses/present.ts';
import { findAccount } from '../../../operations/accounts/find-account.ts';
import { issueToken } from '../../../operations/accounts/issue-token.ts';
import type { Dependencies } from '../../../operations/dependencies.ts';
import type { Command, CommandInput } from '../../command.ts';
import { connect } from '../../connection.ts';
import { EXPIRY_NAME, expiryMember } from '../../options/account-options.ts';
import { connectionOptions } from '../../options/connection-options.ts';
import { printIssuedToken } from '../../output/token-table.ts';
import { accountOfStore, nameServer, storeOption } from '../../server-or-store.ts';
import { auditContextOf, omitUndefined, onStore, parseInput } from '../../store-command.ts';

const NAMES = { label: '--label', expiresAt: EXPIRY_NAME };

export const tokenIssue: Command = {
  usage: '[<account>] [--label <text>] [--expires <time>|never] [--store]',
  arguments: { '<account>': 'The id or the name of the account; by default yours, on a server' },
  options: {
    ...connectionOptions,
    ...storeOption,
    label: {
      type: 'string',
      value: '<text>',
      description: 'What the token is for, at most 64 characters',
    },
    expires: {
      type: 'string',
      value: '<time>|never',
      description: 'When it expires, such as 2027-01-31T00:00:00Z',
    },
  },
  examples: [
    { command: 'rapsheet token issue alice --label laptop', description: 'Issue a token' },
    {
      command: 'rapsheet token issue --label laptop > laptop.token',
      description: 'Write a new token of yours to a file for --token-file',
    },
  ],
  positionals: [0, 1],
  async run(input) {
    const account = accountOfStore(input);
    return account === undefined ? issueOnServer(input) : issueInStore(input, account);
  },
};

function membersOf({ options }: CommandInput) {
  return { label: options['label'], expiresAt: expiryMember(options) };
}

async function issueOnServer(input: CommandInput): Promise<void> {
  const [account] = input.positionals;
  const client = connect(input);
  const body = omitUndefined(membersOf(input));
  const { token, ...shown } = await (account === undefined
    ? client.issueToken(body)
    : client.issueAccountToken(account, body));
  if (account !== undefined) nameServer(input, (url) => `A token of ${account} at ${url}:`);
  printIssuedToken(input, token, shown);
}

async function issueInStore(input: CommandInput, account: string): Promise<void> {
  const request = parseInput(tokenBody, membersOf(input), NAMES);
  const issue = async (deps: Dependencies) => {
    const { id } = await findAccount(deps, account);
    return issueToken(deps, auditContextOf(deps), id, request ?? {});
  };
  const { text, token } = await onStore(input, issue, { names: NAMES });
  printIssuedToken(input, text, presentToken(token));
}
