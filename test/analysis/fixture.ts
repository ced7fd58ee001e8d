import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';

/**
 * The bytes of a fixture such as `analysis/pe/hello32`. Fixtures are packed, so none is executable.
 */
export function fixture(name: string): Buffer {
  const file = new URL(`../fixtures/${name}.in.gz.b64`, import.meta.url);
  return gunzipSync(Buffer.from(readFileSync(file, 'latin1'), 'base64'));
}
