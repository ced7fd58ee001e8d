import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { isToken } from '../../domain/accounts/token.ts';
import { replacePrivateFile } from '../../platform/durable-file.ts';
import { openFolder } from '../../server/data-folders.ts';
import { CommandError, EXIT } from '../command.ts';
import { visible } from '../output/show.ts';

/** A server and the token for it, as `rapsheet login` stores it. */
export interface Profile {
  readonly url: string;
  readonly token: string;
  /** The name of the account, as the server gave it at the login. */
  readonly account: string;
}

export interface Profiles {
  /** The name of the default profile. */
  readonly selected: string | undefined;
  readonly byName: ReadonlyMap<string, Profile>;
}

export interface NamedProfile extends Profile {
  readonly name: string;
}

const NONE: Profiles = { selected: undefined, byName: new Map() };

const OTHERS_MASK = 0o077;

const fileSchema = z.object({
  default: z.string().optional(),
  profiles: z.record(
    z.string(),
    z.object({ url: z.url(), token: z.string().refine(isToken), account: z.string() }),
  ),
});

/** The names of hosts with their ports are names of profiles too. */
const NAME = /^[a-z0-9[][a-z0-9._:@\]-]{0,254}$/i;

export function requireProfileName(name: string): string {
  if (NAME.test(name)) return name;
  throw new CommandError(
    'the name of a profile has letters, digits, ".", "-", "_", ":" and "@", and begins with a letter or a digit',
    EXIT.usage,
  );
}

/** The file of all profiles. It contains tokens, so only its owner may read it. */
export class ProfileFile {
  readonly #folder: string;
  readonly #file: string;

  constructor(folder: string) {
    this.#folder = folder;
    this.#file = join(folder, 'profiles.json');
  }

  read(): Profiles {
    const text = this.#readText();
    if (text === undefined) return NONE;
    const parsed = fileSchema.safeParse(parseJson(text));
    // Not the reason, which could quote a token.
    if (!parsed.success)
      throw new CommandError(
        `${this.#file} is damaged: delete it and sign in again with \`rapsheet login\``,
        EXIT.denied,
      );
    const byName = new Map(Object.entries(parsed.data.profiles));
    const selected = parsed.data.default;
    return {
      byName,
      selected: selected !== undefined && byName.has(selected) ? selected : undefined,
    };
  }

  async write({ selected, byName }: Profiles): Promise<void> {
    process.umask(OTHERS_MASK);
    openFolder('RAPSHEET_CONFIG_DIR', this.#folder);
    const content = { default: selected, profiles: Object.fromEntries(byName) };
    await replacePrivateFile(this.#file, `${JSON.stringify(content, null, 2)}\n`);
  }

  #readText(): string | undefined {
    try {
      this.#refuseOpenFile();
      return readFileSync(this.#file, 'utf8');
    } catch (cause) {
      if (cause instanceof CommandError) throw cause;
      const { code, message } = cause as NodeJS.ErrnoException;
      if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
      throw new CommandError(`${this.#file} cannot be read: ${message}`, EXIT.denied);
    }
  }

  /** Windows has no such mode. */
  #refuseOpenFile(): void {
    const { mode } = statSync(this.#file);
    if (process.platform === 'win32' || (mode & OTHERS_MASK) === 0) return;
    throw new CommandError(
      `other users may read ${this.#file}, which contains tokens: run \`chmod 600 ${this.#file}\`, and issue new tokens if this machine has other users`,
      EXIT.denied,
    );
  }
}

/** The profile of that name, else the default profile; `undefined` if there is none. */
export function selectProfile(
  { selected, byName }: Profiles,
  name: string | undefined,
): NamedProfile | undefined {
  const chosen = name ?? selected;
  if (chosen === undefined) return undefined;
  const profile = byName.get(chosen);
  return profile === undefined ? undefined : { name: chosen, ...profile };
}

/** For a command that is about a profile. */
export function requireProfile(profiles: Profiles, name: string | undefined): NamedProfile {
  const profile = selectProfile(profiles, name);
  if (profile !== undefined) return profile;
  throw new CommandError(
    name === undefined
      ? 'there is no default profile: see `rapsheet profile list`'
      : `there is no profile ${visible(name)}: see \`rapsheet profile list\``,
    EXIT.absent,
  );
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
