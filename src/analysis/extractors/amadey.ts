import { base64Bytes } from '../codecs/base64.ts';
import { readableLine } from '../codecs/readable-text.ts';
import type { Budget } from '../formats/format.ts';
import { type NativeProgram, nativeProgram, type Push } from '../formats/pe/native-program.ts';
import { isFileName, isHost, parseCheckedHostPort } from './endpoints/hosts.ts';
import type { Endpoint, Extractor } from './extractor.ts';
import { otherSettings } from './setting-texts.ts';

/**
 * Amadey has a table of strings. A small function constructs an object from each of them:
 *
 * | machine | code |
 * |---|---|
 * | x86 | 6A length, 68 text, B9 object, E8 call, 68 …, E8 …, 59 C3 |
 * | x64 | 41 B8 length u32, 48 8D 15 text, 48 8D 0D object, E8 call; addresses are RIP-relative |
 *
 * Two entries are keys: 32 hex digits, unencoded. One of them decodes the others by a Vigenère
 * cipher over an alphabet of 63 characters (letters, digits, space); the result is base64:
 *
 *   index(plain) = index(encoded) - index(key[i mod length]) mod 63; other characters (`=`) stay
 *
 * The table has, in this order: host, page (`/abc/index.php`), version (`4.41`), install folder (10
 * hex digits), file, campaign (6 hex digits). Published analyses give two orders of the alphabet;
 * both are tried.
 *
 * References:
 * https://www.splunk.com/en_us/blog/security/amadey-threat-analysis-and-detections.html,
 * https://medium.com/walmartglobaltech/amadey-stealer-plugin-adds-mikrotik-and-outlook-harvesting-518efe724ce4
 */
const LETTERS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ';
const DIGITS = '0123456789';
const ALPHABETS = [`${LETTERS}${DIGITS} `, `${DIGITS}${LETTERS} `];

const KEY = /^[0-9a-f]{32}$/;
const ENCODED = /^[a-zA-Z0-9 +/]{2,}={0,2}$/;
const PAGE = /^\/?[\w./-]{1,128}\.php$/;
const MAX_TEXTS = 1_024;
const MAX_KEYS = 8;
const MAX_SERVERS = 16;
const MAX_TEXT_LENGTH = 512;
/** Under a wrong key about one text in a thousand decodes to readable text. */
const MIN_DECODED = 6;
/** Texts between a host and its page. */
const MAX_HOST_DISTANCE = 3;

interface TableText {
  readonly text: string;
  readonly offset: number;
}

export const amadey: Extractor = {
  family: 'amadey',
  category: 'LOADER',
  pages: {
    amadey: {
      name: 'Amadey',
      reads: 'URLs of the servers, version, campaign, install folder and file',
      versions: '3.x to 5.x with the Vigenère cipher, 32-bit and 64-bit; unpacked',
      proof:
        'at least six strings decode to base64 of readable text with one key of the table, including a host and its page',
      notCovered: '1.x and 2.x, whose strings have another encoding; packed samples',
      references: [
        'https://www.splunk.com/en_us/blog/security/amadey-threat-analysis-and-detections.html',
        'https://medium.com/walmartglobaltech/amadey-stealer-plugin-adds-mikrotik-and-outlook-harvesting-518efe724ce4',
      ],
    },
  },

  matches: (subject) => nativeProgram(subject) !== undefined,

  extract(subject, budget) {
    const program = nativeProgram(subject);
    if (program === undefined) return undefined;
    const table = program.is32 ? table32(program, budget) : table64(program, budget);
    const texts = decodeTable(table, budget);
    const endpoints = texts && serversOf(texts);
    if (texts === undefined || endpoints === undefined || endpoints.length === 0) return undefined;
    const folder = texts.findIndex((text) => /^[0-9a-f]{10}$/.test(text));
    const file = folder === -1 ? undefined : texts[folder + 1];
    const campaign = texts.find((text) => /^[0-9a-f]{6}$/.test(text));
    return {
      version: texts.find((text) => /^\d\.\d{1,2}$/.test(text)),
      campaign: campaign === undefined ? undefined : [campaign],
      endpoints,
      other: otherSettings({
        'Install Folder': texts[folder],
        'Install File': file?.endsWith('.exe') === true ? file : undefined,
      }),
      offset: table[0]?.offset,
    };
  },
};

function table32(program: NativeProgram, budget: Budget): TableText[] {
  const table: TableText[] = [];
  for (const push of program.pushes) {
    if (table.length >= MAX_TEXTS || (table.length % 64 === 0 && budget.isOver())) break;
    if (!constructsObject32(program.bytes, push.next)) continue;
    addText(table, program, { offset: program.offsetOf(push.address), length: push.length });
  }
  return table;
}

/** `B9 …, E8 …, 68 …, E8 …, 59 C3`: constructs the object and registers its destructor. */
function constructsObject32(bytes: Buffer, at: Push['next']): boolean {
  const marks: readonly [offset: number, byte: number][] = [
    [0, 0xb9],
    [5, 0xe8],
    [10, 0x68],
    [15, 0xe8],
    [20, 0x59],
    [21, 0xc3],
  ];
  return marks.every(([offset, byte]) => bytes[at + offset] === byte);
}

const CONSTRUCTION_64 = Buffer.from([0x41, 0xb8]);
const CONSTRUCTION_64_BYTES = 25;

function table64(program: NativeProgram, budget: Budget): TableText[] {
  const table: TableText[] = [];
  for (const { start, end, rva } of program.codeParts()) {
    const code = program.bytes.subarray(start, end);
    let at = code.indexOf(CONSTRUCTION_64);
    while (at !== -1 && at + CONSTRUCTION_64_BYTES <= code.length && table.length < MAX_TEXTS) {
      if (budget.isOver()) return table;
      if (constructsObject64(code, at)) {
        // Relative to the end of the instruction.
        const text = rva + at + 13 + code.readInt32LE(at + 9);
        const length = code.readUInt32LE(at + 2);
        addText(table, program, { offset: program.offsetOfRva(text), length });
      }
      at = code.indexOf(CONSTRUCTION_64, at + 2);
    }
  }
  return table;
}

function constructsObject64(bytes: Buffer, at: number): boolean {
  const isLea = (offset: number, register: number) =>
    bytes[at + offset] === 0x48 &&
    bytes[at + offset + 1] === 0x8d &&
    bytes[at + offset + 2] === register;
  return isLea(6, 0x15) && isLea(13, 0x0d) && bytes[at + 20] === 0xe8;
}

/** Adds the text if it has exactly that length. */
function addText(
  table: TableText[],
  { reader }: NativeProgram,
  { offset, length }: { offset: number | undefined; length: number },
): void {
  if (offset === undefined || length < 2 || length > MAX_TEXT_LENGTH) return;
  const text = reader.slice(offset, length)?.toString('latin1');
  if (text !== undefined && ENCODED.test(text) && reader.u8(offset + length) === 0)
    table.push({ text, offset });
}

/** The texts that the best key decodes, in the order of the table. */
function decodeTable(table: readonly TableText[], budget: Budget): string[] | undefined {
  const keys = [...new Set(table.map(({ text }) => text).filter((text) => KEY.test(text)))];
  let best: string[] = [];
  for (const key of keys.slice(0, MAX_KEYS)) {
    for (const alphabet of ALPHABETS) {
      if (budget.isOver()) return undefined;
      const decoded = table.flatMap(({ text }) => decode(text, key, alphabet));
      if (decoded.length > best.length) best = decoded;
    }
  }
  return best.length >= MIN_DECODED ? best : undefined;
}

/** A list of one text; empty if the result is not canonical base64 of ASCII. */
function decode(encoded: string, key: string, alphabet: string): string[] {
  let base64 = '';
  for (const [index, character] of [...encoded].entries()) {
    const from = alphabet.indexOf(character);
    const shift = alphabet.indexOf(key[index % key.length] ?? '');
    base64 +=
      from === -1 ? character : alphabet[(from - shift + alphabet.length) % alphabet.length];
  }
  const bytes = base64Bytes(base64);
  // Encoders leave unused bits zero: this check alone rejects many wrong results.
  if (bytes === undefined || bytes.toString('base64') !== base64) return [];
  const text = readableLine(bytes);
  return text === undefined || /[^ -~]/.test(text) ? [] : [text];
}

function isServer(text: string): boolean {
  return (isHost(text) && !isFileName(text)) || parseCheckedHostPort(text) !== undefined;
}

function serversOf(texts: readonly string[]): Endpoint[] {
  const urls = new Set<string>();
  for (const [index, page] of texts.entries()) {
    if (!PAGE.test(page) || urls.size >= MAX_SERVERS) continue;
    const host = texts.slice(Math.max(0, index - MAX_HOST_DISTANCE), index).findLast(isServer);
    if (host !== undefined) urls.add(`http://${host}${page.startsWith('/') ? '' : '/'}${page}`);
  }
  return [...urls].map((url) => ({ protocol: 'http', usage: 'c2', url }));
}
