import { inflateAtMost } from '../../codecs/inflate.ts';
import type { PdfStream } from './scan.ts';

export interface Decoded {
  readonly bytes: Buffer;
  /** Whether the output was longer than requested. */
  readonly cut: boolean;
  /** A filter that is not supported; the bytes are still encoded with it and the following ones. */
  readonly unknown: string | undefined;
}

/**
 * Applies the filters of a stream in order, each with at most `maxBytes` of output. ISO 32000-1,
 * 7.4.
 */
export async function decodeStream(stream: PdfStream, maxBytes: number): Promise<Decoded> {
  let bytes = stream.content;
  let cut = false;
  for (const filter of stream.filters) {
    if (filter === 'FlateDecode') {
      const inflated = await inflateAtMost(bytes, 'zlib', maxBytes);
      bytes = inflated.bytes;
      cut ||= inflated.cut;
    } else if (filter === 'ASCIIHexDecode') bytes = decodeHex(bytes, maxBytes);
    else if (filter === 'ASCII85Decode') bytes = decodeAscii85(bytes, maxBytes);
    else return { bytes, cut, unknown: filter };
  }
  return {
    bytes: bytes.subarray(0, maxBytes),
    cut: cut || bytes.length > maxBytes,
    unknown: undefined,
  };
}

function decodeHex(bytes: Buffer, maxBytes: number): Buffer {
  const end = bytes.indexOf('>');
  // White space may separate the digits, but the input is limited.
  const text = bytes.toString('latin1', 0, Math.min(end === -1 ? bytes.length : end, maxBytes * 4));
  return Buffer.from(text.replace(/[^0-9a-fA-F]/g, ''), 'hex');
}

/** Five characters from `!` to `u` are four bytes; `z` is four zero bytes; `~>` is the end. */
function decodeAscii85(bytes: Buffer, maxBytes: number): Buffer {
  const out = Buffer.alloc(Math.min(bytes.length * 4, maxBytes) + 4);
  let length = 0;
  let group = 0;
  let count = 0;
  // A loop by index: an iterator takes five times as long.
  for (let at = 0; at < bytes.length; at += 1) {
    const code = bytes[at] ?? 0;
    if (code === 0x7e || length + 4 > out.length) break;
    if (code === 0x7a && count === 0) length += 4;
    if (code < 0x21 || code > 0x75) continue;
    group = group * 85 + (code - 0x21);
    count += 1;
    if (count < 5) continue;
    out.writeUInt32BE(group % 0x100000000, length);
    length += 4;
    group = 0;
    count = 0;
  }
  return Buffer.concat([out.subarray(0, length), lastGroup(group, count)]);
}

/** A last group of n characters is n - 1 bytes, as if padded with `u`. */
function lastGroup(group: number, count: number): Buffer {
  if (count < 2) return Buffer.alloc(0);
  let filled = group;
  for (let index = count; index < 5; index += 1) filled = filled * 85 + 84;
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(filled % 0x100000000);
  return bytes.subarray(0, count - 1);
}
