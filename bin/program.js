// The program, with the compile cache of Node. Plain JavaScript: Node loads its type stripper, which
// takes 50 ms, if the first module has types, because the cache is not enabled yet.
import { existsSync } from 'node:fs';
// As a whole: an old Node has no `enableCompileCache`, and must get as far as its refusal.
import module from 'node:module';
import { fileURLToPath } from 'node:url';
import { isNewEnough, TOO_OLD } from './runtime.js';

if (isNewEnough) {
  // The published package holds compiled JavaScript; a checkout runs the sources as they are.
  const source = new URL('../src/cli/rapsheet.ts', import.meta.url);
  const compiled = new URL('../dist/src/cli/rapsheet.js', import.meta.url);
  const entry = existsSync(source) ? source : compiled;
  // Not in a shared temporary folder, because code is loaded from the cache.
  module.enableCompileCache(fileURLToPath(new URL('../../node_modules/.cache/rapsheet', entry)));
  await import(entry);
} else {
  process.stderr.write(`rapsheet: ${TOO_OLD}\n`);
  process.exitCode = 1;
}
