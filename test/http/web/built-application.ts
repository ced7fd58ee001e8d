import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { brotliCompressSync, gzipSync } from 'node:zlib';

/** An invented build of the application, in the form that the real one has. */
export const STYLE_HASHES = ["'sha256-aaaa='", "'sha256-bbbb='"];
export const PAGE = `<!doctype html><title>Rapsheet</title>${' '.repeat(200)}`;
export const SCRIPT = `export const a = 1;${' '.repeat(200)}`;
export const ICON = '<svg xmlns="http://www.w3.org/2000/svg"/>';

export interface BuiltApplication {
  readonly folder: URL;
  path(name: string): string;
  remove(): void;
}

export async function buildFakeApplication(): Promise<BuiltApplication> {
  const root = mkdtempSync(join(tmpdir(), 'rapsheet-web-'));
  await mkdir(join(root, 'dist/assets'), { recursive: true });
  const path = (name: string) => join(root, 'dist', name);
  const file = (name: string, content: string, type: string, isCompressed = true) => {
    writeFileSync(path(name), content);
    if (isCompressed) {
      writeFileSync(path(`${name}.br`), brotliCompressSync(content));
      writeFileSync(path(`${name}.gz`), gzipSync(content));
    }
    const encodings = isCompressed ? ['br', 'gzip'] : [];
    const isWorker = name.includes('-worker-');
    return { type, bytes: content.length, etag: `W/"${name}"`, encodings, isWorker };
  };
  const javascript = 'text/javascript; charset=utf-8';
  const files = {
    'index.html': file('index.html', PAGE, 'text/html; charset=utf-8'),
    'assets/page-X1.js': file('assets/page-X1.js', SCRIPT, javascript),
    'assets/hash-worker-X2.js': file('assets/hash-worker-X2.js', SCRIPT, javascript),
    'assets/icon-X3.svg': file('assets/icon-X3.svg', ICON, 'image/svg+xml', false),
  };
  writeFileSync(path('files.json'), JSON.stringify({ inlineStyles: STYLE_HASHES, files }));
  // Neither is listed, so neither may be served.
  writeFileSync(path('assets/unlisted.js'), 'unlisted');
  writeFileSync(join(root, 'secret.txt'), 'secret');
  return {
    folder: pathToFileURL(`${join(root, 'dist')}/`),
    path,
    remove: () => rmSync(root, { recursive: true }),
  };
}
