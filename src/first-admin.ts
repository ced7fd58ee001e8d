import { closeSync, fsyncSync, openSync, renameSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from './config.ts';
import { addFirstAdmin } from './operations/add-account.ts';
import type { Dependencies } from './operations/dependencies.ts';
import { newTokenText } from './operations/issue-token.ts';

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
  if ((await deps.store.accounts.list(deps.now())).length > 0) return undefined;
  if (config.adminToken !== undefined) {
    await addFirstAdmin(deps, config.adminToken);
    return undefined;
  }
  // The file first: an account whose token nobody has would lock the operator out.
  const token = newTokenText(deps);
  const file = keepAdminToken(config, token);
  return (await addFirstAdmin(deps, token)) ? { token, file } : undefined;
}

export function adminTokenFile(config: Config): string {
  return join(config.dataDir, 'admin-token');
}

/** Readable by its owner alone; it appears whole or not at all. */
function keepAdminToken(config: Config, token: string): string {
  const file = adminTokenFile(config);
  const temporary = `${file}.new`;
  const handle = openSync(temporary, 'w', 0o600);
  try {
    writeSync(handle, `${token}\n`);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
  renameSync(temporary, file);
  return file;
}
