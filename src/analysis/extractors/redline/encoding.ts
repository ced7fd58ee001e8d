import { base64Bytes } from '../../codecs/base64.ts';
import { readableText } from '../../codecs/readable-text.ts';

/**
 * The encoding of RedLine's values. The key repeats and is applied to UTF-16 code units:
 *
 *   value = base64( UTF-8( XOR( base64( UTF-8 text ), key ) ) )
 */

/** Characters that are decoded first, because most keys are wrong. */
const PROBE_LENGTH = 16;

export function decodeValue(text: string, key: string): string | undefined {
  const outer = decodeOuterLayer(text);
  return outer === undefined ? undefined : decodeInnerLayer(outer, key);
}

export function decodeOuterLayer(text: string): string | undefined {
  return base64Bytes(text)?.toString('utf8');
}

export function decodeInnerLayer(outer: string, key: string): string | undefined {
  if (key === '' || !/^[A-Za-z0-9+/=]+$/.test(xor(outer.slice(0, PROBE_LENGTH), key)))
    return undefined;
  return readableText(base64Bytes(xor(outer, key)));
}

function xor(text: string, key: string): string {
  const codes = new Uint16Array(text.length);
  for (let index = 0; index < text.length; index += 1) {
    codes[index] = text.charCodeAt(index) ^ key.charCodeAt(index % key.length);
  }
  return Buffer.from(codes.buffer).toString('utf16le');
}
