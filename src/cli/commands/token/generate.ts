import { randomBytes } from 'node:crypto';
import { newTokenText } from '../../../operations/accounts/issue-token.ts';
import type { Command } from '../../command.ts';

export const tokenGenerate: Command = {
  usage: '',
  examples: [{ command: 'rapsheet token generate', description: 'Generate a token' }],
  async run({ print }) {
    const token = newTokenText({ randomBytes });
    print({ token }, token);
  },
};
