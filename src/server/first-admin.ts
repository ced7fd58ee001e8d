import { randomUUID } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../config.ts';
import { isToken } from '../domain/accounts/token.ts';
import { addFirstAdmin } from '../operations/accounts/add-account.ts';
import { identifyCaller } from '../operations/accounts/identify-caller.ts';
import { newTokenText } from '../operations/accounts/issue-token.ts';
import type { Dependencies } from '../operations/dependencies.ts';

export interface NewAdminToken {
  readonly token: string;
  /** Where it is kept. */
  readonly file: string;
}

/**
 * Makes the account `admin` where the store has no account yet. A token from the settings stays where the
 * operator keeps it; one that we make is put into a file, and returned.
 */
export async function makeFirstAdmin(
  config: Config,
  deps: Dependencies,
): Promise<NewAdminToken | undefined> {
  if ((await deps.store.accounts.list({ limit: 1 }, deps.now())).length > 0) return undefined;
  if (config.adminToken !== undefined) {
    await addFirstAdmin(deps, config.adminToken);
    return undefined;
  }
  // The file first: an account whose token nobody has would lock the operator out.
  const file = adminTokenFile(config);
  const { token, isOurs } = keepToken(file, newTokenText(deps));
  if (await addFirstAdmin(deps, token)) return { token, file };
  // Another node was first, with a folder of its own: what we wrote is the token of nobody.
  if (isOurs && (await identifyCaller(deps, token)) === undefined) rmSync(file, { force: true });
  return undefined;
}

export function adminTokenFile(config: Config): string {
  return join(config.dataDir, 'admin-token');
}

/**
 * Readable by its owner alone; it appears whole or not at all. Where one is there already it stays, and is the token: of
 * several that start at once in one folder any may make the account, and the file must be right for all.
 */
function keepToken(file: string, text: string): { readonly token: string; isOurs: boolean } {
  const temporary = `${file}.${randomUUID()}`;
  writeWhole(temporary, `${text}\n`);
  try {
    linkSync(temporary, file);
  } catch {
    const token = readToken(file);
    if (token !== undefined) return { token, isOurs: false };
    // Something else stands there, or the file system has no links.
    renameSync(temporary, file);
  } finally {
    rmSync(temporary, { force: true });
  }
  return { token: text, isOurs: true };
}

function readToken(file: string): string | undefined {
  try {
    const text = readFileSync(file, 'utf8').trim();
    return isToken(text) ? text : undefined;
  } catch {
    return undefined;
  }
}

function writeWhole(file: string, text: string): void {
  const handle = openSync(file, 'w', 0o600);
  try {
    writeSync(handle, text);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
