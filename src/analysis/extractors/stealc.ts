import type { Budget } from '../formats/format.ts';
import { type NativeProgram, nativeProgram, type Push } from '../formats/pe/native-program.ts';
import { isHost } from './endpoints/hosts.ts';
import type { Endpoint, Extractor } from './extractor.ts';
import { otherSettings } from './setting-texts.ts';

/**
 * StealC version 1. Every string is XORed with a key of the same length. One call decodes each
 * string:
 *
 *   6A length | 68 address of the key | 68 address of the text | at most 5 bytes | E8 call
 *
 * In the order of the calls:
 *
 * | string | meaning |
 * |---|---|
 * | `http://host`, or the scheme and then the host | server |
 * | `/1a2b3c.php` | page |
 * | `/9f8e7d6c/` | folder of downloaded libraries |
 * | next | botnet |
 *
 * Reference: https://blog.sekoia.io/
 * stealc-a-copycat-of-vidar-and-raccoon-infostealers-gaining-in-popularity-part-1/
 */
const MIN_TEXTS = 8;
/** Similar code in other programs decodes to garbage. */
const MIN_READABLE_SHARE = 0.6;
const MAX_TEXTS = 4_096;
const MAX_SERVERS = 16;
/** Strings between the host and its page. */
const MAX_PAGE_DISTANCE = 4;

const SERVER = /^(https?):\/\/(\[[0-9a-f:.]+\]|[^/:\s]+)(?::(\d{1,5}))?$/i;
const PAGE = /^\/[\w-]{1,64}\.php$/;
const FOLDER = /^\/[\w-]{1,64}\/$/;
const TEXT = /^[\t\r\n -~]+$/;

interface DecodedText {
  readonly text: string;
  readonly offset: number;
}

export const stealc: Extractor = {
  family: 'stealc',
  category: 'STEALER',
  pages: {
    stealc: {
      name: 'StealC',
      reads: 'URL of the server, botnet, path of the libraries',
      versions: '1, with strings encoded by XOR; unpacked',
      proof: 'most of the encoded strings decode to ASCII, including a URL followed by its page',
      notCovered: 'the first builds with RC4 and base64; version 2; packed samples',
      references: [
        'https://blog.sekoia.io/stealc-a-copycat-of-vidar-and-raccoon-infostealers-gaining-in-popularity-part-1/',
      ],
    },
  },

  matches: (subject) => nativeProgram(subject)?.is32 === true,

  extract(subject, budget) {
    const program = nativeProgram(subject);
    const texts = program && decodeTexts(program, budget);
    if (texts === undefined) return undefined;
    const endpoints = serversOf(texts.map(({ text }) => text));
    if (endpoints.length === 0) return undefined;
    const folder = texts.findIndex(({ text }) => FOLDER.test(text));
    const botnet = folder === -1 ? undefined : texts[folder + 1]?.text;
    return {
      campaign: botnet === undefined ? undefined : [botnet.slice(0, 128)],
      endpoints,
      other: otherSettings({ 'Library Path': texts[folder]?.text }),
      offset: texts[0]?.offset,
    };
  },
};

/** `undefined` unless most strings are readable, and there are enough of them. */
function decodeTexts(program: NativeProgram, budget: Budget): DecodedText[] | undefined {
  const texts: DecodedText[] = [];
  let tried = 0;
  for (const push of program.pushes) {
    if (tried >= MAX_TEXTS || (tried % 256 === 0 && budget.isOver())) break;
    const decoded = decode(program, push);
    if (decoded === undefined) continue;
    tried += 1;
    const text = decoded.toString('latin1');
    if (TEXT.test(text)) texts.push({ text, offset: push.offset });
  }
  return texts.length >= MIN_TEXTS && texts.length >= tried * MIN_READABLE_SHARE
    ? texts
    : undefined;
}

/** `undefined` if the code is not such a call. */
function decode(program: NativeProgram, { length, address, next }: Push): Buffer | undefined {
  const { bytes, reader } = program;
  if (length <= 0 || bytes[next] !== 0x68) return undefined;
  const textAddress = reader.u32(next + 1);
  if (textAddress === undefined || !bytes.subarray(next + 5, next + 11).includes(0xe8))
    return undefined;
  const key = program.bytesAt(address, length);
  const encoded = program.bytesAt(textAddress, length);
  if (key === undefined || encoded === undefined) return undefined;
  return Buffer.from(encoded.map((byte, index) => byte ^ (key[index] ?? 0)));
}

function serversOf(texts: readonly string[]): Endpoint[] {
  const urls = new Set<string>();
  for (const [index, text] of texts.entries()) {
    if (urls.size >= MAX_SERVERS) break;
    if (!/^https?:\/\//i.test(text)) continue;
    const isSchemeAlone = text.endsWith('//');
    const server = isSchemeAlone ? `${text}${texts[index + 1] ?? ''}` : text;
    const page = texts
      .slice(index + 1, index + 1 + MAX_PAGE_DISTANCE)
      .find((other) => PAGE.test(other));
    const [, , host = ''] = SERVER.exec(server) ?? [];
    if (page !== undefined && isHost(host)) urls.add(`${server}${page}`);
  }
  return [...urls].map((url) => ({
    protocol: /^https:/i.test(url) ? 'https' : 'http',
    usage: 'c2',
    url,
  }));
}
