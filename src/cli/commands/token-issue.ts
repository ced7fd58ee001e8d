import { tokenBody } from '../../http/requests/admin-fields.ts';
import { presentToken } from '../../http/responses/present.ts';
import { findAccount } from '../../operations/accounts/find-account.ts';
import { issueToken } from '../../operations/accounts/issue-token.ts';
import type { Dependencies } from '../../operations/dependencies.ts';
import type { Command } from '../command.ts';
import { EXPIRY_NAME, expiryMember } from '../options/account-options.ts';
import { printIssuedToken } from '../output/token-table.ts';
import { auditContextOf, onStore, parseInput } from '../store-command.ts';

const NAMES = { label: '--label', expiresAt: EXPIRY_NAME };

export const tokenIssue: Command = {
  name: 'token issue',
  usage: '<account> [--label <text>] [--expires <time>]',
  summary: 'Issue a token for an account; it is shown only once',
  arguments: { '<account>': 'The id or the name of the account' },
  options: {
    label: { type: 'string', value: '<text>', description: 'What the token is for' },
    expires: {
      type: 'string',
      value: '<time>',
      description: 'When it expires: 2027-01-31T00:00:00Z',
    },
  },
  examples: [
    { command: 'rapsheet token issue alice --label laptop', description: 'Issue a token' },
  ],
  positionals: [1, 1],
  async run(input) {
    const { positionals, options } = input;
    const members = { label: options['label'], expiresAt: expiryMember(options) };
    const request = parseInput(tokenBody, members, NAMES);
    const issue = async (deps: Dependencies) => {
      const { id } = await findAccount(deps, positionals[0] ?? '');
      return issueToken(deps, auditContextOf(deps), id, request ?? {});
    };
    const { text, token } = await onStore(input, issue, { names: NAMES });
    printIssuedToken(input, text, presentToken(token));
  },
};
