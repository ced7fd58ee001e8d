import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readMigrations } from '../src/storage/migrate.ts';
import { fillStore } from './fill.ts';

const STORES = fileURLToPath(new URL('.stores/', import.meta.url));

/**
 * Returns the folder of a filled store and creates it at first use. Its name depends on the schema
 * and the code that fills it.
 */
export function storeOf(count: number): string {
  const version = createHash('sha256');
  for (const file of ['fill.ts', 'marks.ts'])
    version.update(readFileSync(new URL(file, import.meta.url)));
  for (const { sql } of readMigrations('sqlite')) version.update(sql);
  const folder = join(STORES, `${count}-${version.digest('hex').slice(0, 12)}`);
  if (existsSync(folder)) return folder;
  const temporary = `${folder}.new`;
  rmSync(temporary, { recursive: true, force: true });
  mkdirSync(temporary, { recursive: true });
  const startedAt = performance.now();
  fillStore(temporary, count, (done) => {
    const seconds = Math.round((performance.now() - startedAt) / 1000);
    process.stderr.write(
      `\rfilling a store: ${done} of ${count} samples and reports, ${seconds} s `,
    );
  });
  process.stderr.write('\n');
  renameSync(temporary, folder);
  return folder;
}

/** A writable copy. */
export function copyOf(store: string): { readonly folder: string; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), 'rapsheet-bench-'));
  cpSync(store, folder, { recursive: true });
  return { folder, remove: () => rmSync(folder, { recursive: true }) };
}
