import { tokenBody } from '../../http/admin-fields.ts';
import { presentToken } from '../../http/present.ts';
import { findAccount } from '../../operations/find-account.ts';
import { issueToken } from '../../operations/issue-token.ts';
import { expiryMember } from '../account-options.ts';
import type { Command } from '../command.ts';
import { obeying, onStore, operatorOf } from '../store-command.ts';
import { tokenTable } from '../token-table.ts';

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
