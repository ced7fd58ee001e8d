import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const RELATIVE_IMPORT = /((?:from|import|import\()\s*'\.{1,2}\/[^']+)\.ts'/g;

/**
 * Copies a program and the modules that it imports, without their types, into a folder, and returns
 * its file there. A worker whose program has types spends most of its start on removing them;
 * tests that start dozens of workers do it once.
 */
export function writeStripped(program: string, folder: string): string {
  const targetOf = (file: string) => join(folder, relative(ROOT, file)).replace(/\.ts$/, '.js');
  const written = new Set<string>();
  const pending = [program];
  for (let file = pending.pop(); file !== undefined; file = pending.pop()) {
    if (written.has(file)) continue;
    written.add(file);
    const text = stripTypeScriptTypes(readFileSync(file, 'utf8'));
    for (const [imported] of text.matchAll(RELATIVE_IMPORT))
      pending.push(resolve(dirname(file), imported.slice(imported.indexOf("'") + 1, -1)));
    mkdirSync(dirname(targetOf(file)), { recursive: true });
    writeFileSync(targetOf(file), text.replace(RELATIVE_IMPORT, "$1.js'"));
  }
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  // Workers run as another user.
  chmodSync(folder, 0o755);
  return targetOf(program);
}
