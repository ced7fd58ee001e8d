import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ClientOptions, RapsheetClient } from '../client/client.ts';
import { type ClientConfig, readClientConfig } from '../config.ts';
import { isToken } from '../domain/accounts/token.ts';
import { CommandError, type CommandInput, type CommandOptions, EXIT } from './command.ts';

/** The options of every command that calls a server. */
export const connectionOptions = {
  url: { type: 'string', value: '<url>', description: 'The address of the server' },
  'token-file': {
    type: 'string',
    value: '<file>',
    description: 'A file that contains the token',
  },
} as const satisfies CommandOptions;

/** Enough for a server that restarts; a user at the terminal should not wait for an absent one. */
const RETRIES = 2;

export function connect(
  { options }: Pick<CommandInput, 'options'>,
  clientOptions: Partial<ClientOptions> = {},
): RapsheetClient {
  const config = readClientConfig();
  const url = String(options['url'] ?? config.url);
  const token = findToken({ ...config, url }, options['token-file']);
  return new RapsheetClient({ ...clientOptions, url, token, retries: RETRIES });
}

/** A token is never an argument, which other users of the machine could read. */
export function findToken(config: ClientConfig, file: unknown): string {
  if (typeof file === 'string') return readTokenFile(file);
  const token = config.token ?? (isLocalServer(config.url) ? readAdminToken(config) : undefined);
  if (token !== undefined) return token;
  throw new CommandError(
    'there is no token: set RAPSHEET_TOKEN, or name a file that contains it with --token-file',
    EXIT.denied,
  );
}

function readTokenFile(file: string): string {
  const token = readText(file);
  if (token === undefined) throw new CommandError(`${file} cannot be read`, EXIT.denied);
  if (!isToken(token)) throw new CommandError(`${file} does not contain a token`, EXIT.denied);
  return token;
}

/** The local admin token must not be sent to another server. */
function isLocalServer(url: string): boolean {
  const host = URL.canParse(url) ? new URL(url).hostname : '';
  return host === 'localhost' || host === '[::1]' || /^127(\.\d{1,3}){3}$/.test(host);
}

function readAdminToken({ dataDir }: ClientConfig): string | undefined {
  const token = readText(join(dataDir, 'admin-token'));
  return token !== undefined && isToken(token) ? token : undefined;
}

function readText(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    return undefined;
  }
}
