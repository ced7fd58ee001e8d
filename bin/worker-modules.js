// Loaded before the program of an analysis worker. The parent first sends the modules of the
// program without their types, because removing them takes half a second in every process.
import { readSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { setFlagsFromString } from 'node:v8';

// WebAssembly is checked function by function when it is first called, not whole when it is loaded.
setFlagsFromString('--wasm-lazy-validation');

const REQUESTS_FD = 0;
const modules = new Map(JSON.parse(readBytes(readBytes(4).readUInt32LE(0)).toString()).modules);

registerHooks({
  resolve(specifier, context, nextResolve) {
    const isRelative = specifier.startsWith('.') && context.parentURL !== undefined;
    const url = isRelative ? new URL(specifier, context.parentURL).href : specifier;
    if (!modules.has(url)) return nextResolve(specifier, context);
    return { url, format: 'module', shortCircuit: true };
  },
  load(url, context, nextLoad) {
    const source = modules.get(url);
    if (source === undefined) return nextLoad(url, context);
    modules.delete(url);
    return { format: 'module', source, shortCircuit: true };
  },
});

function readBytes(count) {
  const bytes = Buffer.allocUnsafe(count);
  for (let filled = 0; filled < count; ) {
    const got = readSync(REQUESTS_FD, bytes, filled, count - filled, null);
    // The parent has ended.
    if (got === 0) process.exit(0);
    filled += got;
  }
  return bytes;
}
