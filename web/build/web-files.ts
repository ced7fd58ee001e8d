import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { extname, join, resolve } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import type { Plugin } from 'vite';
import { inlineStyles } from './style-hashes.ts';

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.wasm': 'application/wasm',
};

/** Files named `*-worker.ts` are started as workers. Vite appends a hash. */
const WORKER = /-worker-[\w-]+\.js$/;

/**
 * Compresses the built files, and writes the list that the server reads at its start: what it
 * serves, with which type and encodings, and the hashes for the content security policy.
 */
export function webFiles(): Plugin {
  let folder = '';
  return {
    name: 'web-files',
    apply: 'build',
    enforce: 'post',
    configResolved: ({ root, build }) => {
      folder = resolve(root, build.outDir);
    },
    // Not `closeBundle`, which is called after a failed build as well.
    writeBundle: () => {
      const files = Object.fromEntries(
        listFiles(folder).map((path) => [path, describe(folder, path)]),
      );
      const list = { inlineStyles: [...inlineStyles].sort(), files };
      writeFileSync(join(folder, 'files.json'), `${JSON.stringify(list, null, 1)}\n`);
    },
  };
}

function listFiles(folder: string): readonly string[] {
  const paths = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && Object.hasOwn(TYPES, extname(entry.name)))
    .map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1));
  return paths.sort();
}

function describe(folder: string, path: string) {
  const content = readFileSync(join(folder, path));
  const encodings: string[] = [];
  for (const [encoding, suffix, compress] of [
    ['br', '.br', brotliCompressSync],
    ['gzip', '.gz', gzipSync],
  ] as const) {
    const compressed = compress(content);
    if (compressed.length >= content.length) continue;
    writeFileSync(join(folder, path + suffix), compressed);
    encodings.push(encoding);
  }
  return {
    type: TYPES[extname(path)],
    bytes: content.length,
    etag: `W/"${createHash('sha256').update(content).digest('base64url').slice(0, 27)}"`,
    encodings,
    isWorker: WORKER.test(path),
  };
}
