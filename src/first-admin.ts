import { closeSync, fsyncSync, openSync, renameSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** Keeps the token of the first account where its owner alone can read it; it appears whole or not at all. */
export function keepAdminToken(dataDir: string, token: string): string {
  const file = join(dataDir, 'admin-token');
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
