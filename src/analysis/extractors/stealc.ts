import type { Budget } from '../formats/format.ts';
import { type NativeProgram, nativeProgram, type Push } from '../formats/pe/native-program.ts';
import { isHost } from './endpoints/hosts.ts';
import type { Endpoint, Extractor } from './extractor.ts';
import { otherSettings } from './setting-texts.ts';

/**
 * StealC, first version. Every text is XORed with a key of its own length; one function after the other opens them:
 *
 *   6A length | 68 address of the key | 68 address of the text | up to 5 bytes | E8 call
 *
 * In the order of the calls: `http://host` (or the scheme alone, then the host), `/1a2b3c.php`, `/9f8e7d6c/` (where it
 * gets libraries from), and the name of the botnet.
 *
 * Reference: https://blog.sekoia.io/stealc-a-copycat-of-vidar-and-raccoon-infostealers-gaining-in-popularity-part-1/
 */
const LEAST_TEXTS = 8;
/** Ordinary calls that look alike open to noise. */
const LEAST_SHARE = 0.6;
const MOST_TEXTS = 4_096;
const MOST_SERVERS = 16;
/** How far behind the host the rest stands. */
const REACH = 4;

const SERVER = /^(https?):\/\/(\[[0-9a-f:.]+\]|[^/:\s]+)(?::(\d{1,5}))?$/i;
const PAGE = /^\/[\w-]{1,64}\.php$/;
const FOLDER = /^\/[\w-]{1,64}\/$/;
const TEXT = /^[\t\r\n -~]+$/;

interface OpenedText {
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
      versions: '1, with texts under XOR; unpacked',
      proof:
        'most of the sealed texts open to plain ASCII, among them a URL and its page in their order',
      notCovered: 'the first builds with RC4 and base64; version 2; packed samples',
      references: [
        'https://blog.sekoia.io/stealc-a-copycat-of-vidar-and-raccoon-infostealers-gaining-in-popularity-part-1/',
      ],
    },
  },

  matches: (subject) => nativeProgram(subject)?.is32 === true,

  extract(subject, budget) {
    const program = nativeProgram(subject);
    const texts = program && openedTexts(program, budget);
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

/** `undefined` unless there are enough of them, and little else. */
function openedTexts(program: NativeProgram, budget: Budget): OpenedText[] | undefined {
  const texts: OpenedText[] = [];
  let tried = 0;
  for (const push of program.pushes) {
    if (tried >= MOST_TEXTS || (tried % 256 === 0 && budget.isOver())) break;
    const opened = open(program, push);
    if (opened === undefined) continue;
    tried += 1;
    const text = opened.toString('latin1');
    if (TEXT.test(text)) texts.push({ text, offset: push.offset });
  }
  return texts.length >= LEAST_TEXTS && texts.length >= tried * LEAST_SHARE ? texts : undefined;
}

/** `undefined` where the code is not that of such a call. */
function open(program: NativeProgram, { length, address, next }: Push): Buffer | undefined {
  const { bytes, reader } = program;
  if (length <= 0 || bytes[next] !== 0x68) return undefined;
  const second = reader.u32(next + 1);
  if (second === undefined || !bytes.subarray(next + 5, next + 11).includes(0xe8)) return undefined;
  const key = program.bytesAt(address, length);
  const sealed = program.bytesAt(second, length);
  if (key === undefined || sealed === undefined) return undefined;
  return Buffer.from(sealed.map((byte, place) => byte ^ (key[place] ?? 0)));
}

function serversOf(texts: readonly string[]): Endpoint[] {
  const urls = new Set<string>();
  for (const [place, text] of texts.entries()) {
    if (urls.size >= MOST_SERVERS) break;
    if (!/^https?:\/\//i.test(text)) continue;
    const isSchemeAlone = text.endsWith('//');
    const server = isSchemeAlone ? `${text}${texts[place + 1] ?? ''}` : text;
    const page = texts.slice(place + 1, place + 1 + REACH).find((other) => PAGE.test(other));
    const [, , host = ''] = SERVER.exec(server) ?? [];
    if (page !== undefined && isHost(host)) urls.add(`${server}${page}`);
  }
  return [...urls].map((url) => ({
    protocol: /^https:/i.test(url) ? 'https' : 'http',
    usage: 'c2',
    url,
  }));
}
