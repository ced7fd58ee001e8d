import { CommandError, type CommandInput, type CommandOptions, EXIT } from './command.ts';
import { connectionOf, namesServer } from './connection.ts';
import { connectionOptions } from './options/connection-options.ts';

/** The option of commands that work on a server or on the store. */
export const storeOption = {
  store: {
    type: 'boolean',
    description: 'Use the store that the settings name, even if a server is named too',
  },
} as const satisfies CommandOptions;

/**
 * Whether a command works on the store: with `--store`, and if no option, no setting and no default
 * profile names a server.
 */
export function usesStore(input: CommandInput): boolean {
  const { store } = input.options;
  const server = Object.keys(connectionOptions).find((name) => input.options[name] !== undefined);
  if (store === true && server !== undefined)
    throw new CommandError(`--store and --${server} exclude each other`, EXIT.usage);
  return typeof store === 'boolean' ? store : !namesServer(input);
}

/**
 * The account of the store that a command is for, or `undefined` if it calls a server. Without an
 * account it is for the caller, whom only a server knows.
 */
export function accountOfStore(input: CommandInput): string | undefined {
  const [account] = input.positionals;
  if (account !== undefined) return usesStore(input) ? account : undefined;
  if (input.options['store'] === true)
    throw new CommandError('name the account: the store does not know who you are', EXIT.usage);
  return undefined;
}

/** Names the server unless an option does: the same command may have used the store before. */
export function nameServer(input: CommandInput, message: (url: string) => string): void {
  const { url, profile, store } = input.options;
  const server = connectionOf(input)?.url;
  if (server === undefined || [url, profile, store].some((option) => option !== undefined)) return;
  input.printMessage(message(server));
}
