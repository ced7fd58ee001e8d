import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';

/** The bytes of a fixture, kept packed so that nothing in the tree can be run: `analysis/pe/hello32`. */
export function fixture(name: string): Buffer {
  const file = new URL(`../fixtures/${name}.in.gz.b64`, import.meta.url);
  return gunzipSync(Buffer.from(readFileSync(file, 'latin1'), 'base64'));
}
