import { isHost } from '../endpoints/hosts.ts';
import type { Extraction, Recognition } from '../extractor.ts';
import { otherSettings } from '../setting-texts.ts';

/**
 * Shellcode that fetches a beacon. It finds functions by a hash of their names, which are pushed before each call:
 *
 *   InternetConnectA    57 89 9F C6, before it the port: 68 port u32 53 50 68 (32 bits), 41 B8 port u32 4D 31 C9 (64 bits)
 *   HttpOpenRequestA    EB 55 2E 3B, before it the flags: 68 flags u32, of which bit 23 means TLS
 *
 * Behind the code stand texts, each behind a call backwards, which pushes its address:
 *
 *   E8 .. FF FF FF "/uri" 00 | headers with "User-Agent: ", 00 | E8 .. .. FF FF "host" 00 | watermark u32 big-endian
 *
 * The stagers for DNS and named pipes begin alike; they are only recognised. Metasploit's stagers are the ancestors
 * of these: they have no header text of their own, and begin differently in today's versions.
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

/** Room of 7FFFF bytes for what comes; then the name of the library, of which `pi` is put together in a register. */
const TAKES_ROOM = '\x68\0\x10\0\0\x68\xff\xff\x07\0\x6a\0\x68\x58\xa4\x53\xe5\xff\xd5';
const LOADS_DNSAPI = '\xb0p\xb4i\x50\x68dnsa\x54\x68\x4c\x77\x26\x07\xff\xd5';
const CREATES_PIPE = '\x68\x45\x70\xdf\xd4\xff\xd5';

/** The longest that are known have a kilobyte. */
export const STAGER_BYTES = 2048;

/** `code` begins where the shellcode does. */
export function readStager(code: Buffer): Extraction | Recognition | undefined {
  const text = code.toString('latin1');
  const port = portOf(text);
  if (port !== undefined) return httpStager(text, port);
  if (text.includes(TAKES_ROOM) && text.includes(LOADS_DNSAPI))
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
  const behind = text.slice(headers.index + headers[0].length);
  const place = HOST.exec(behind);
  const host = place?.[1] ?? '';
  if (place === null || !isHost(host) || port === 0) return undefined;
  const isTls = (Buffer.from(flags, 'latin1').readUInt32LE(0) & TLS) !== 0;
  const watermark = Buffer.from(
    behind.slice(place.index + place[0].length, place.index + place[0].length + 4),
    'latin1',
  );
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
