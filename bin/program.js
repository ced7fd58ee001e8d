// The program, with the compile cache of Node. Plain JavaScript: Node loads its type stripper, which
// takes 50 ms, if the first module has types, because the cache is not enabled yet.
import { existsSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

// The published package holds compiled JavaScript; a checkout runs the sources as they are.
const source = new URL('../src/cli/rapsheet.ts', import.meta.url);
const entry = existsSync(source) ? source : new URL('../dist/src/cli/rapsheet.js', import.meta.url);

// Not in a shared temporary folder, because code is loaded from the cache.
enableCompileCache(fileURLToPath(new URL('../../node_modules/.cache/rapsheet', entry)));
await import(entry);
