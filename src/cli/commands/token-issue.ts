import { tokenBody } from '../../http/requests/admin-fields.ts';
import { presentToken } from '../../http/responses/present.ts';
import { findAccount } from '../../operations/accounts/find-account.ts';
import { issueToken } from '../../operations/accounts/issue-token.ts';
import type { Command } from '../command.ts';
import { expiryMember } from '../options/account-options.ts';
import { tokenTable } from '../output/token-table.ts';
import { obeying, onStore, operatorOf } from '../store-command.ts';

export const tokenIssue: Command = {
  name: 'token issue',
  usage: '<account> [--label <text>] [--expires <time>]',
  summary: 'Issue a token for an account; it is shown this once',
  options: { label: { type: 'string' }, expires: { type: 'string' } },
  words: [1, 1],
  async run(input) {
    const { words, options } = input;
    const wish = obeying(tokenBody, {
      label: options['label'],
      expiresAt: expiryMember(options),
    });
    const { text, token } = await onStore(input, async (deps) => {
      const { id } = await findAccount(deps, words[0] ?? '');
      return issueToken(deps, operatorOf(deps), id, wish ?? {});
    });
    const shown = presentToken(token);
    // Alone on standard output, so that a script can take it as it is.
    if (!input.json) input.tell(`${tokenTable([shown])}\n\nThe token, shown this once:`);
    input.print({ token: text, ...shown }, text);
  },
};
