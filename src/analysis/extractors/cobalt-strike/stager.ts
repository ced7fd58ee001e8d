import { isHost } from '../endpoints/hosts.ts';
import type { Extraction, Recognition } from '../extractor.ts';
import { otherSettings } from '../setting-texts.ts';

/**
 * Shellcode that downloads a beacon. It resolves functions by the hash of their names, which it
 * pushes before each call:
 *
 * | function | hash | arguments before it |
 * |---|---|---|
 * | InternetConnectA | 57 89 9F C6 | 51 51 68 port u32 53 50 68; x64: 41 B8 port u32 4D 31 C9 |
 * | HttpOpenRequestA | EB 55 2E 3B | flags: 68 flags u32; bit 23 is TLS |
 *
 * Strings follow the code. A backward call before a string pushes its address:
 *
 *   E8 .. FF FF FF "/uri" 00 | headers with "User-Agent: " 00
 *   E8 .. .. FF FF "host" 00 | watermark u32 big-endian
 *
 * DNS and named pipe stagers have the same start and are only recognised. The Metasploit stagers
 * that these derive from have no headers, and current versions have a different start.
 *
 * References: https://decoded.avast.io/threatintel/decoding-cobalt-strike-understanding-payloads/,
 * https://blog.didierstevens.com/programs/cobalt-strike-tools/
 */
const PORT_32 = /\x68(.{2})\0\0\x53\x50\x68\x57\x89\x9f\xc6\xff\xd5/s;
const PORT_64 = /\x41\xb8(.{2})\0\0\x4d\x31\xc9.{4,16}\x41\xba\x57\x89\x9f\xc6\xff\xd5/s;
const FLAGS = /\x68(.{4}).{2,8}\xeb\x55\x2e\x3b\xff\xd5/s;
const URI = /\xe8.\xff\xff\xff(\/[!-~]{0,255})\0/s;
const HEADERS = /User-Agent: ([ -~]{1,512})\r\n/;
const HOST = /\xe8.{2}\xff\xff([!-~]{1,253})\0/s;
const TLS = 0x0080_0000;

/** Allocates 7FFFF bytes; then loads `dnsapi`, whose last letters are built in a register. */
const ALLOCATES_BUFFER = '\x68\0\x10\0\0\x68\xff\xff\x07\0\x6a\0\x68\x58\xa4\x53\xe5\xff\xd5';
const LOADS_DNSAPI = '\xb0p\xb4i\x50\x68dnsa\x54\x68\x4c\x77\x26\x07\xff\xd5';
const CREATES_PIPE = '\x68\x45\x70\xdf\xd4\xff\xd5';

/** The longest known stagers have a kilobyte. */
export const STAGER_BYTES = 2048;

/** `code` starts at the first instruction of the shellcode. */
export function readStager(code: Buffer): Extraction | Recognition | undefined {
  const text = code.toString('latin1');
  const port = portOf(text);
  if (port !== undefined) return httpStager(text, port);
  if (text.includes(ALLOCATES_BUFFER) && text.includes(LOADS_DNSAPI))
    return { unread: 'a stager that fetches the beacon by DNS' };
  if (text.includes(CREATES_PIPE) && text.includes('\\\\.\\pipe\\'))
    return { unread: 'a stager that takes the beacon from a named pipe' };
  return undefined;
}

function portOf(text: string): number | undefined {
  const bytes = PORT_32.exec(text)?.[1] ?? PORT_64.exec(text)?.[1];
  return bytes === undefined ? undefined : Buffer.from(bytes, 'latin1').readUInt16LE(0);
}

function httpStager(text: string, port: number): Extraction | undefined {
  const flags = FLAGS.exec(text)?.[1];
  const uri = URI.exec(text)?.[1];
  const headers = HEADERS.exec(text);
  if (flags === undefined || uri === undefined || headers === null) return undefined;
  const afterHeaders = text.slice(headers.index + headers[0].length);
  const match = HOST.exec(afterHeaders);
  const host = match?.[1] ?? '';
  if (match === null || !isHost(host) || port === 0) return undefined;
  const isTls = (Buffer.from(flags, 'latin1').readUInt32LE(0) & TLS) !== 0;
  const watermarkAt = match.index + match[0].length;
  const watermark = Buffer.from(afterHeaders.slice(watermarkAt, watermarkAt + 4), 'latin1');
  return {
    endpoints: [{ protocol: isTls ? 'https' : 'http', usage: 'c2', host, port }],
    other: otherSettings({
      'Beacon Type': isTls ? 'HTTPS stager' : 'HTTP stager',
      'C2 URIs': uri,
      'User Agent': headers[1],
      Watermark: watermark.length === 4 ? String(watermark.readUInt32BE(0)) : undefined,
    }),
  };
}
