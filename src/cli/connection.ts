import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ClientOptions, RapsheetClient } from '../client/client.ts';
import { DEFAULT_URL } from '../config/settings.ts';
import { type ClientConfig, readClientConfig } from '../config.ts';
import { isToken } from '../domain/accounts/token.ts';
import { CommandError, type CommandInput, EXIT } from './command.ts';
import { type NamedProfile, ProfileFile, selectProfile } from './credentials/profiles.ts';
import { isLocalServer, isSameOrigin, readServerUrl } from './credentials/server-address.ts';
import { connectionOptions } from './options/connection-options.ts';

/** Enough for a server that restarts; a user at the terminal should not wait for an absent one. */
const RETRIES = 2;

/** The server that a command calls, and the token that it sends. */
export interface Connection {
  readonly url: string;
  readonly token: string;
  /** Where the token comes from, as a part of a message: `token from RAPSHEET_TOKEN`. */
  readonly source: string;
  /** The profile that gives the address, the token, or both. */
  readonly profile: string | undefined;
  /** The account of the token, if a profile names it. */
  readonly account: string | undefined;
}

type OptionsInput = Pick<CommandInput, 'options'>;

/** By the options of the command. The text of a refusal names the account. */
const connections = new WeakMap<CommandInput['options'], Connection>();

export function connect(
  input: OptionsInput,
  clientOptions: Partial<ClientOptions> = {},
): RapsheetClient {
  const connection = findConnection(input);
  const { url, token } = connection;
  connections.set(input.options, connection);
  return new RapsheetClient({ ...clientOptions, url, token, retries: RETRIES });
}

/** The connection that `connect` has opened for the command. */
export function connectionOf({ options }: OptionsInput): Connection | undefined {
  return connections.get(options);
}

/** Whether an option, a setting or the default profile is about a server. */
export function namesServer(
  { options }: OptionsInput,
  config: ClientConfig = readClientConfig(),
): boolean {
  const isGiven = Object.keys(connectionOptions).some((name) => options[name] !== undefined);
  const { url, token, profile } = config;
  if (isGiven || [url, token, profile].some((setting) => setting !== undefined)) return true;
  return findProfile({ options }, config) !== undefined;
}

/**
 * Chooses address and token independently: options, then settings, then the profile. A token is
 * never an argument, which other users of the machine could read.
 */
export function findConnection(
  input: OptionsInput,
  config: ClientConfig = readClientConfig(),
): Connection {
  const { url: address, 'token-file': file } = input.options;
  const given = {
    url: typeof address === 'string' ? readServerUrl(address) : config.url,
    ...givenToken(file, config),
  };
  // With both, the file of profiles may be absent or damaged, unless a profile is named.
  const isComplete = given.url !== undefined && given.token !== undefined;
  const profile =
    isComplete && profileName(input, config) === undefined ? undefined : findProfile(input, config);
  const url = given.url ?? profile?.url ?? DEFAULT_URL;
  if (given.token !== undefined)
    return { ...given, url, profile: profile?.name, account: undefined };
  if (profile === undefined) throw missingToken(url, config);
  if (!isSameOrigin(url, profile.url)) throw foreignOrigin(url, profile);
  const { name, token, account } = profile;
  return { url, token, source: `from profile ${name}`, profile: name, account };
}

/** The token of an option, else of a setting. */
function givenToken(
  file: unknown,
  { token, tokenSetting }: ClientConfig,
): Pick<Connection, 'token' | 'source'> | { readonly token?: undefined } {
  if (typeof file === 'string') return { token: readTokenFile(file), source: `token from ${file}` };
  return token === undefined ? {} : { token, source: `token from ${tokenSetting}` };
}

function profileName({ options }: OptionsInput, { profile }: ClientConfig): string | undefined {
  return (options['profile'] as string | undefined) ?? profile;
}

function findProfile(input: OptionsInput, config: ClientConfig): NamedProfile | undefined {
  const name = profileName(input, config);
  const profile = selectProfile(new ProfileFile(config.configDir).read(), name);
  if (profile !== undefined || name === undefined) return profile;
  throw new CommandError(
    `there is no profile ${name}: \`rapsheet profile list\` shows the profiles, and \`rapsheet login --profile ${name}\` adds one`,
    EXIT.denied,
  );
}

function missingToken(url: string, { dataDir }: ClientConfig): CommandError {
  const login = url === DEFAULT_URL ? 'rapsheet login' : `rapsheet login --url ${url}`;
  const file = join(dataDir, 'admin-token');
  const operator =
    isLocalServer(url) && existsSync(file)
      ? `. If you run this server: \`${login} --token-file ${file}\``
      : '';
  return new CommandError(
    `there is no token for ${url}: sign in with \`${login}\`, or set RAPSHEET_TOKEN, or name a file that contains the token with --token-file${operator}`,
    EXIT.denied,
  );
}

function foreignOrigin(url: string, { name, url: own }: NamedProfile): CommandError {
  return new CommandError(
    `the token of profile ${name} is for ${own} and is not sent to ${url}: sign in there with \`rapsheet login --url ${url}\`, or set RAPSHEET_TOKEN`,
    EXIT.denied,
  );
}

export function readTokenFile(file: string): string {
  // Standard input may be the input of the command.
  if (file === '-')
    throw new CommandError(
      '--token-file must be a file; only `rapsheet login` reads -',
      EXIT.usage,
    );
  const token = readText(file);
  if (token === undefined) throw new CommandError(`${file} cannot be read`, EXIT.denied);
  if (!isToken(token)) throw new CommandError(`${file} does not contain a token`, EXIT.denied);
  return token;
}

function readText(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    return undefined;
  }
}
