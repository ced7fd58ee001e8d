import type { Budget } from '../formats/format.ts';
import { type NativeProgram, nativeProgram } from '../formats/pe/native-program.ts';
import { rc4Texts } from './encoded-texts/rc4-texts.ts';
import { isServer, serverUrls } from './encoded-texts/servers.ts';
import { xorTexts } from './encoded-texts/xor-texts.ts';
import type { Endpoint, Extraction, Extractor, Recognition } from './extractor.ts';
import { otherSettings } from './setting-texts.ts';

/**
 * StealC encodes its strings: version 1 with XOR (`xor-texts.ts`), version 2 with base64 and RC4
 * (`rc4-texts.ts`).
 *
 * Version 1, in the order of the calls:
 *
 * | string | meaning |
 * |---|---|
 * | `http://host`, or the scheme and then the host | server |
 * | `/1a2b3c.php` | page |
 * | `/9f8e7d6c/` | folder of downloaded libraries |
 * | next | botnet |
 *
 * Version 2, in the order of the constants:
 *
 * | string | meaning |
 * |---|---|
 * | 16 or 20 hexadecimal digits | key of the traffic |
 * | `08`, `10`, `20`, `26` | date after which it does not run, here 08/10/2026 |
 * | names of functions | |
 * | `http://host` | server |
 * | `/16b022998f754137b60a.php` | page |
 * | `opcode`, `upload_file`, `access_token`, … | members of its JSON messages |
 *
 * References: https://blog.sekoia.io/
 * stealc-a-copycat-of-vidar-and-raccoon-infostealers-gaining-in-popularity-part-1/,
 * https://github.com/LucasAlgera/LucasAlgera.github.io/blob/main/pages/StealC/StealC.md,
 * https://github.com/0xMastEB/0xMastEB.github.io/blob/main/posts/stealc-v2-analysis.md
 */
const FOLDER = /^\/[\w-]{1,64}\/$/;

const PROTOCOL_NAMES = new Set([
  ...['opcode', 'access_token', 'upload_file', 'hwid', 'build'],
  ...['self_delete', 'take_screenshot', 'run_as_admin'],
]);
/** Clients of other services have some of these names, too. */
const MIN_PROTOCOL_NAMES = 4;
const MIN_NAMES_WITHOUT_SERVER = 6;
/** The page of version 2 has random digits. */
const RANDOM_PAGE = /^\/[0-9a-f]{16,20}\.php$/;
const DATE = /^(\d\d) (\d\d) (20) (\d\d)$/;

export const stealc: Extractor = {
  family: 'stealc',
  category: 'STEALER',
  pages: {
    stealc: {
      name: 'StealC',
      reads:
        'URL of the server; of version 1 botnet and path of the libraries; of version 2 the expiration date',
      versions: '1, with strings encoded by XOR; 2, with base64 and RC4; unpacked',
      proof:
        '1: most of the encoded strings decode to ASCII, including a URL followed by its page; 2: a string of the program decrypts nearly all others, including four names of its protocol and a URL directly followed by its page of 16 to 20 hexadecimal digits',
      notCovered:
        'the first builds of version 1 with RC4 and base64; the build of version 2, which is stored in a way that is not published; packed samples',
      references: [
        'https://blog.sekoia.io/stealc-a-copycat-of-vidar-and-raccoon-infostealers-gaining-in-popularity-part-1/',
        'https://github.com/LucasAlgera/LucasAlgera.github.io/blob/main/pages/StealC/StealC.md',
        'https://github.com/0xMastEB/0xMastEB.github.io/blob/main/posts/stealc-v2-analysis.md',
      ],
    },
  },

  matches: (subject) => nativeProgram(subject) !== undefined,

  extract(subject, budget) {
    const program = nativeProgram(subject);
    if (program === undefined) return undefined;
    return (program.is32 ? version1(program, budget) : undefined) ?? version2(program, budget);
  },
};

function version1(program: NativeProgram, budget: Budget): Extraction | undefined {
  const texts = xorTexts(program, budget);
  const urls = serverUrls(texts.map(({ text }) => text));
  if (urls.length === 0) return undefined;
  const folder = texts.findIndex(({ text }) => FOLDER.test(text));
  const botnet = folder === -1 ? undefined : texts[folder + 1]?.text;
  return {
    campaign: botnet === undefined ? undefined : [botnet.slice(0, 128)],
    endpoints: endpointsOf(urls),
    other: otherSettings({ 'Library Path': texts[folder]?.text }),
    offset: texts[0]?.offset,
  };
}

function version2(program: NativeProgram, budget: Budget): Extraction | Recognition | undefined {
  const decrypted = rc4Texts(program, budget);
  const texts = decrypted.map(({ text }) => text);
  const names = new Set(texts.filter((text) => PROTOCOL_NAMES.has(text)));
  if (names.size < MIN_PROTOCOL_NAMES) return undefined;
  const offset = decrypted[0]?.offset;
  const urls = pairedUrls(texts);
  if (urls.length === 0)
    return names.size < MIN_NAMES_WITHOUT_SERVER
      ? undefined
      : { unread: 'the strings name no server with its page', offset };
  return {
    version: '2',
    endpoints: endpointsOf(urls),
    other: otherSettings({ 'Expiration Date': expirationDate(texts) }),
    offset,
  };
}

/** Only a page directly after a server belongs to it for certain. */
function pairedUrls(texts: readonly string[]): string[] {
  return serverUrls(
    texts.flatMap((text, index) => {
      const next = texts[index + 1] ?? '';
      return isServer(text) && RANDOM_PAGE.test(next) ? [text, next] : [];
    }),
  );
}

/** As stored: whether the day or the month comes first is not published. */
function expirationDate(texts: readonly string[]): string | undefined {
  for (const index of texts.keys()) {
    const [, first, second, century, year] =
      DATE.exec(texts.slice(index, index + 4).join(' ')) ?? [];
    if (century !== undefined) return `${first}/${second}/${century}${year}`;
  }
  return undefined;
}

function endpointsOf(urls: readonly string[]): Endpoint[] {
  return urls.map((url) => ({
    protocol: /^https:/i.test(url) ? 'https' : 'http',
    usage: 'c2',
    url,
  }));
}
