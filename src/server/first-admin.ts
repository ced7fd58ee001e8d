import { randomUUID } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../config.ts';
import { isToken } from '../domain/accounts/token.ts';
import { addFirstAdmin } from '../operations/accounts/add-account.ts';
import { createLink } from '../operations/accounts/create-link.ts';
import { findAccount } from '../operations/accounts/find-account.ts';
import { identifyCaller } from '../operations/accounts/identify-caller.ts';
import { newTokenText } from '../operations/accounts/issue-token.ts';
import type { Dependencies } from '../operations/dependencies.ts';
import { createFile, renameFile, writeNewFile } from '../platform/durable-file.ts';

export interface NewAdminToken {
  readonly token: string;
  readonly file: string;
}

/** The account `admin` of a new store. */
export interface FirstAdmin {
  /** `undefined` if the settings have the token. */
  readonly newToken: NewAdminToken | undefined;
  /** Creates a sign-in link for the account. */
  createLink(): Promise<string>;
}

/**
 * Creates the account `admin` in a store without accounts. A token of the settings is not written
 * to the disk; a token that this process generates is written to a file and returned.
 */
export async function createFirstAdmin(
  config: Config,
  deps: Dependencies,
): Promise<FirstAdmin | undefined> {
  if ((await deps.store.accounts.list({ limit: 1 }, deps.now())).length > 0) return undefined;
  const createLink = () => createLinkOfAdmin(deps);
  if (config.adminToken !== undefined) {
    const isFirst = await addFirstAdmin(deps, config.adminToken);
    return isFirst ? { newToken: undefined, createLink } : undefined;
  }
  // The file first: after a crash in between, an account without a token would lock the operator
  // out.
  const file = adminTokenFile(config);
  const { token, isNew } = await storeToken(file, newTokenText(deps));
  if (await addFirstAdmin(deps, token)) return { newToken: { token, file }, createLink };
  // A node with another data folder created the account, so the token in this file belongs to none.
  if (isNew && (await identifyCaller(deps, token)) === undefined) await rm(file, { force: true });
  return undefined;
}

async function createLinkOfAdmin(deps: Dependencies): Promise<string> {
  const { id } = await findAccount(deps, 'admin');
  return (await createLink(deps, { actor: 'first start', at: deps.now() }, id)).url;
}

export function adminTokenFile(config: Config): string {
  return join(config.dataDir, 'admin-token');
}

/**
 * Stores the token and returns the one that the file holds. A token that is already in the file
 * stays: of several processes that start in one folder any may create the account, and the file
 * must hold the token of that account.
 */
async function storeToken(
  file: string,
  text: string,
): Promise<{ readonly token: string; readonly isNew: boolean }> {
  // Some file systems have no links.
  const isCreated = await createFile(file, `${text}\n`).catch(() => false);
  if (isCreated) return { token: text, isNew: true };
  const token = await readToken(file);
  if (token !== undefined) return { token, isNew: false };
  const temporary = `${file}.${randomUUID()}`;
  try {
    await writeNewFile(temporary, [`${text}\n`]);
    await renameFile(temporary, file);
  } finally {
    await rm(temporary, { force: true });
  }
  return { token: text, isNew: true };
}

async function readToken(file: string): Promise<string | undefined> {
  const text = await readFile(file, 'utf8').catch(() => '');
  return isToken(text.trim()) ? text.trim() : undefined;
}
