import { randomBytes } from 'node:crypto';
import { newTokenText } from '../../operations/accounts/issue-token.ts';
import type { Command } from '../command.ts';

export const tokenGenerate: Command = {
  name: 'token generate',
  usage: '',
  summary: 'Make a token for RAPSHEET_ADMIN_TOKEN; no store is touched',
  async run({ print }) {
    const token = newTokenText({ randomBytes });
    print({ token }, token);
  },
};
