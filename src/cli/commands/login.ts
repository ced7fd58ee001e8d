import { RapsheetClient } from '../../client/client.ts';
import type { Me } from '../../client/wire.ts';
import { DEFAULT_URL } from '../../config/settings.ts';
import { readClientConfig } from '../../config.ts';
import { isToken } from '../../domain/accounts/token.ts';
import { type Command, CommandError, type CommandInput, EXIT } from '../command.ts';
import { readTokenFile } from '../connection.ts';
import {
  type NamedProfile,
  ProfileFile,
  type Profiles,
  requireProfileName,
  selectProfile,
} from '../credentials/profiles.ts';
import { namingSource } from '../credentials/refusal.ts';
import { readServerUrl } from '../credentials/server-address.ts';
import { canAsk } from '../input/confirm.ts';
import { askSecret, readSecret } from '../input/secret.ts';
import { connectionOptions } from '../options/connection-options.ts';
import { visible } from '../output/show.ts';

const RETRIES = 2;

export const login: Command = {
  usage: '[--url <url>] [--profile <name>] [--token-file <file>|-]',
  options: {
    ...connectionOptions,
    'token-file': {
      type: 'string',
      value: '<file>|-',
      description: 'A file that contains the token; - is standard input',
    },
    profile: {
      type: 'string',
      value: '<name>',
      description: 'The name of the profile; by default the host of the server',
    },
  },
  examples: [
    { command: 'rapsheet login', description: 'Ask for the token of a server on this machine' },
    {
      command: 'rapsheet login --profile operator --token-file ./data/admin-token',
      description: 'Sign in as the operator of a server on this machine',
    },
  ],
  async run(input) {
    const file = new ProfileFile(readClientConfig().configDir);
    const { name, url, isNamed } = choose(input, file.read());
    const { token, source } = await readToken(input, url);
    const me = await check(url, token, source);
    const profiles = add(file.read(), { name, url, token, account: me.name });
    // Without a name, the next command without a name is meant for this server.
    const selected = isNamed ? (profiles.selected ?? name) : name;
    await file.write({ ...profiles, selected });
    const account = me.name;
    const isDefault = selected === name;
    input.print(
      { profile: name, url, account, roles: me.roles, default: isDefault },
      describe({ name, url, account }, isDefault),
    );
  },
};

/** Signing in again without options renews the token of the same profile. */
function choose({ options }: CommandInput, profiles: Profiles) {
  const config = readClientConfig();
  const { url: address, profile } = options as Readonly<Record<string, string | undefined>>;
  const given = address === undefined ? config.url : readServerUrl(address);
  const named = profile ?? config.profile;
  if (named !== undefined) requireProfileName(named);
  const known =
    named === undefined && given !== undefined ? undefined : selectProfile(profiles, named);
  const url = given ?? known?.url ?? DEFAULT_URL;
  return { url, name: named ?? known?.name ?? new URL(url).host, isNamed: named !== undefined };
}

async function readToken(
  { options }: CommandInput,
  url: string,
): Promise<{ readonly token: string; readonly source: string }> {
  const file = options['token-file'] as string | undefined;
  if (file !== undefined && file !== '-')
    return { token: readTokenFile(file), source: `token from ${file}` };
  const isAsked = file === undefined && canAsk();
  const token = isAsked ? await askSecret(`Token for ${url}: `) : await readSecret(process.stdin);
  if (token !== undefined && isToken(token))
    return { token, source: isAsked ? 'token as typed' : 'token from standard input' };
  const isAbsent = token === undefined || token === '';
  throw new CommandError(
    isAbsent
      ? 'there is no token: type it, or give it on standard input or with --token-file'
      : 'this is not a token: it is incomplete or mistyped',
    EXIT.denied,
  );
}

async function check(url: string, token: string, source: string): Promise<Me> {
  try {
    return await new RapsheetClient({ url, token, retries: RETRIES }).me();
  } catch (cause) {
    throw namingSource(cause, { url, source });
  }
}

/** A token is shown only once, so that of another account is not overwritten. */
function add(profiles: Profiles, { name, ...profile }: NamedProfile): Profiles {
  const old = profiles.byName.get(name);
  if (old !== undefined && (old.account !== profile.account || old.url !== profile.url))
    throw new CommandError(
      `profile ${name} is ${visible(old.account)} at ${old.url}: give this one another name with --profile, or remove the old one with \`rapsheet logout --profile ${name}\``,
    );
  return { ...profiles, byName: new Map([...profiles.byName, [name, profile]]) };
}

function describe({ name, url, account }: Omit<NamedProfile, 'token'>, isDefault: boolean): string {
  const use = isDefault
    ? 'Commands use this profile by default.'
    : `Use it with --profile ${name}, or for all commands with \`rapsheet profile use ${name}\`.`;
  return `Signed in as ${visible(account)} at ${url}, profile ${name}.\n${use}`;
}
