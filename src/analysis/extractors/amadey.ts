import { base64Bytes } from '../codecs/base64.ts';
import { readableLine } from '../codecs/readable-text.ts';
import type { Budget } from '../formats/format.ts';
import { type NativeProgram, nativeProgram, type Push } from '../formats/pe/native-program.ts';
import { isHost, parseCheckedHostPort } from './endpoints/hosts.ts';
import type { Endpoint, Extractor } from './extractor.ts';
import { otherSettings } from './setting-texts.ts';

/**
 * Amadey has a table of texts, each put into an object of its own by a small function:
 *
 *   32 bits   6A length | 68 text | B9 object | E8 call | 68 … | E8 … | 59 C3
 *   64 bits   41 B8 length u32 | 48 8D 15 text | 48 8D 0D object | E8 call, addresses relative to what follows
 *
 * Two of them are keys as they stand, 32 hex digits; one of these opens the others. To open one, each sign is moved
 * back, within an alphabet of 63 (letters, digits and the blank), by the place of the key's sign; the result is base64:
 *
 *   place(plain) = place(sealed) - place(key[i mod length]) mod 63; other signs (`=`) stay
 *
 * Then, in the order of the table: host, page (`/abc/index.php`), version (`4.41`), install folder (10 hex digits),
 * file, campaign (6 hex digits). Both orders of the alphabet that are told of are tried.
 *
 * References: https://www.splunk.com/en_us/blog/security/amadey-threat-analysis-and-detections.html,
 * https://medium.com/walmartglobaltech/amadey-stealer-plugin-adds-mikrotik-and-outlook-harvesting-518efe724ce4
 */
const LETTERS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ';
const DIGITS = '0123456789';
const ALPHABETS = [`${LETTERS}${DIGITS} `, `${DIGITS}${LETTERS} `];

const KEY = /^[0-9a-f]{32}$/;
const SEALED = /^[a-zA-Z0-9 +/]{2,}={0,2}$/;
const PAGE = /^\/?[\w./-]{1,128}\.php$/;
const MOST_TEXTS = 1_024;
const MOST_KEYS = 8;
const MOST_SERVERS = 16;
const MOST_LENGTH = 512;
/** Opened with a wrong key, hardly one in a thousand is base64 of plain text. */
const LEAST_OPENED = 6;
/** How far before its page the host stands. */
const REACH = 3;

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
      versions: '3.x to 5.x whose texts are moved within an alphabet, of 32 and 64 bits; unpacked',
      proof:
        'six texts or more open to base64 of plain text under a key of the table, among them a host and its page',
      notCovered: '1.x and 2.x, whose texts are sealed otherwise; packed samples',
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
    const opened = openTable(table, budget);
    const endpoints = opened && serversOf(opened);
    if (opened === undefined || endpoints === undefined || endpoints.length === 0) return undefined;
    const folder = opened.findIndex((text) => /^[0-9a-f]{10}$/.test(text));
    const file = folder === -1 ? undefined : opened[folder + 1];
    const campaign = opened.find((text) => /^[0-9a-f]{6}$/.test(text));
    return {
      version: opened.find((text) => /^\d\.\d{1,2}$/.test(text)),
      campaign: campaign === undefined ? undefined : [campaign],
      endpoints,
      other: otherSettings({
        'Install Folder': opened[folder],
        'Install File': file?.endsWith('.exe') === true ? file : undefined,
      }),
      offset: table[0]?.offset,
    };
  },
};

function table32(program: NativeProgram, budget: Budget): TableText[] {
  const table: TableText[] = [];
  for (const push of program.pushes) {
    if (table.length >= MOST_TEXTS || (table.length % 64 === 0 && budget.isOver())) break;
    if (!isStoring(program.bytes, push.next)) continue;
    addText(table, program, { offset: program.offsetOf(push.address), length: push.length });
  }
  return table;
}

/** `B9 …, E8 …, 68 …, E8 …, 59 C3`: into an object, which is to be destroyed at the end of the program. */
function isStoring(bytes: Buffer, at: Push['next']): boolean {
  const marks: readonly [place: number, byte: number][] = [
    [0, 0xb9],
    [5, 0xe8],
    [10, 0x68],
    [15, 0xe8],
    [20, 0x59],
    [21, 0xc3],
  ];
  return marks.every(([place, byte]) => bytes[at + place] === byte);
}

const STORING_64 = Buffer.from([0x41, 0xb8]);
const STORING_64_BYTES = 25;

function table64(program: NativeProgram, budget: Budget): TableText[] {
  const table: TableText[] = [];
  for (const { start, end, rva } of program.codeParts()) {
    const code = program.bytes.subarray(start, end);
    let at = code.indexOf(STORING_64);
    while (at !== -1 && at + STORING_64_BYTES <= code.length && table.length < MOST_TEXTS) {
      if (budget.isOver()) return table;
      if (isStoring64(code, at)) {
        // Relative to the next instruction.
        const text = rva + at + 13 + code.readInt32LE(at + 9);
        const length = code.readUInt32LE(at + 2);
        addText(table, program, { offset: program.offsetOfRva(text), length });
      }
      at = code.indexOf(STORING_64, at + 2);
    }
  }
  return table;
}

function isStoring64(bytes: Buffer, at: number): boolean {
  const isLea = (place: number, register: number) =>
    bytes[at + place] === 0x48 &&
    bytes[at + place + 1] === 0x8d &&
    bytes[at + place + 2] === register;
  return isLea(6, 0x15) && isLea(13, 0x0d) && bytes[at + 20] === 0xe8;
}

/** Adds what is a text of exactly that length. */
function addText(
  table: TableText[],
  { reader }: NativeProgram,
  { offset, length }: { offset: number | undefined; length: number },
): void {
  if (offset === undefined || length < 2 || length > MOST_LENGTH) return;
  const text = reader.slice(offset, length)?.toString('latin1');
  if (text !== undefined && SEALED.test(text) && reader.u8(offset + length) === 0)
    table.push({ text, offset });
}

/** The texts that the best of the keys opens, in the order of the table. */
function openTable(table: readonly TableText[], budget: Budget): string[] | undefined {
  const keys = [...new Set(table.map(({ text }) => text).filter((text) => KEY.test(text)))];
  let best: string[] = [];
  for (const key of keys.slice(0, MOST_KEYS)) {
    for (const alphabet of ALPHABETS) {
      if (budget.isOver()) return undefined;
      const opened = table.flatMap(({ text }) => opening(text, key, alphabet));
      if (opened.length > best.length) best = opened;
    }
  }
  return best.length >= LEAST_OPENED ? best : undefined;
}

function opening(sealed: string, key: string, alphabet: string): string[] {
  let base64 = '';
  for (const [place, sign] of [...sealed].entries()) {
    const from = alphabet.indexOf(sign);
    const by = alphabet.indexOf(key[place % key.length] ?? '');
    base64 += from === -1 ? sign : alphabet[(from - by + alphabet.length) % alphabet.length];
  }
  const bytes = base64Bytes(base64);
  // An encoder leaves no bits over: this alone refuses many that open by chance.
  if (bytes === undefined || bytes.toString('base64') !== base64) return [];
  const text = readableLine(bytes);
  return text === undefined || /[^ -~]/.test(text) ? [] : [text];
}

function isServer(text: string): boolean {
  return isHost(text) || parseCheckedHostPort(text) !== undefined;
}

function serversOf(texts: readonly string[]): Endpoint[] {
  const urls = new Set<string>();
  for (const [place, page] of texts.entries()) {
    if (!PAGE.test(page) || urls.size >= MOST_SERVERS) continue;
    const host = texts.slice(Math.max(0, place - REACH), place).findLast(isServer);
    if (host !== undefined) urls.add(`http://${host}${page.startsWith('/') ? '' : '/'}${page}`);
  }
  return [...urls].map((url) => ({ protocol: 'http', usage: 'c2', url }));
}
