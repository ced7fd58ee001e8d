import type { CommandOptions } from '../command.ts';

/** The options of every command that calls a server. */
export const connectionOptions = {
  url: { type: 'string', value: '<url>', description: 'The address of the server' },
  'token-file': {
    type: 'string',
    value: '<file>',
    description: 'A file that contains the token',
  },
  profile: {
    type: 'string',
    value: '<name>',
    description: 'The profile of `rapsheet login` to use',
  },
} as const satisfies CommandOptions;
