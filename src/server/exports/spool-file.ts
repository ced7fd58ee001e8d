import { openSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';

let count = 0;

/**
 * Opens a file without a name: the system frees it when it is closed, even if the process crashes.
 * Created with mode 0600.
 */
export function openSpoolFile(folder: string): number {
  count += 1;
  const name = join(folder, `${process.pid}-${performance.now()}-${count}`);
  const fd = openSync(name, 'wx+', 0o600);
  unlinkSync(name);
  return fd;
}
