import type { Command } from '../command.ts';
import { connect, connectionOptions } from '../connection.ts';
import { endedText } from '../output/ended-sessions.ts';

export const mySessionEnd: Command = {
  name: 'my-session end',
  usage: '[--issued]',
  summary: 'Sign your account out in all browsers, and invalidate its unused links',
  options: {
    ...connectionOptions,
    issued: {
      type: 'boolean',
      description:
        'Also revoke every token of your account that was issued in a session, directly or indirectly',
    },
  },
  examples: [
    { command: 'rapsheet my-session end', description: 'Sign out everywhere' },
    {
      command: 'rapsheet my-session end --issued',
      description: 'Sign out everywhere after a session was stolen',
    },
  ],
  async run(input) {
    const issued = input.options['issued'] === true;
    const ended = await connect(input).endSessions({ issued });
    input.print(ended, endedText(ended));
  },
};
