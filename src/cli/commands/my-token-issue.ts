import type { Command } from '../command.ts';
import { connect, connectionOptions } from '../connection.ts';
import { expiryMember } from '../options/account-options.ts';
import { printIssuedToken } from '../output/token-table.ts';
import { omitUndefined } from '../store-command.ts';

export const myTokenIssue: Command = {
  name: 'my-token issue',
  usage: '[--label <text>] [--expires <time>|never]',
  summary: 'Issue another token for your account; it is shown only once',
  options: {
    ...connectionOptions,
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
    {
      command: 'rapsheet my-token issue --label laptop > laptop.token',
      description: 'Write a new token to a file for --token-file',
    },
  ],
  async run(input) {
    const { token, ...shown } = await connect(input).issueToken(
      omitUndefined({ label: input.options['label'], expiresAt: expiryMember(input.options) }),
    );
    printIssuedToken(input, token, shown);
  },
};
