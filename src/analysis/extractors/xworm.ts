import { createHash } from 'node:crypto';
import type { Budget } from '../formats/format.ts';
import type { Endpoint, Extraction, Extractor, Recognition } from './extractor.ts';
import {
  deadDrop,
  eachHostAndPort,
  isUrl,
  listOf,
  otherSettings,
  parsePorts,
  portsAmong,
  splitList,
} from './shared/addresses.ts';
import { pickTags, switchedOn } from './shared/capability-tags.ts';
import { blockBytes, decrypted } from './shared/ciphers.ts';
import {
  type DotnetSettings,
  hasName,
  type SettingsBlock,
  settingsOf,
  type TextField,
  textFields,
} from './shared/dotnet-settings.ts';
import { readableText } from './shared/readable.ts';
import { type SealedField, sealedBlocks } from './shared/sealed-blocks.ts';
import { isHost, listedHosts } from './shared/value-shapes.ts';

/**
 * XWorm: a class of static texts, filled by its static constructor. S is sealed, P plain.
 *
 * | field | |
 * |---|---|
 * | Host (2, 3) or Hosts (from 4 on): a list with commas, or the page that tells | S |
 * | Port | S |
 * | KEY: key of the traffic; SPL: what stands between its parts | S |
 * | Groub: `XWorm V5.6` | S |
 * | USBNM: name of the file on other drives | S |
 * | InstallDir, InstallStr | S |
 * | Mutex | P |
 * | Sleep | number of seconds |
 * | LoggerPath | built while it runs |
 * | BTC, ETH, TRC: wallets; Token, ChatID: of Telegram | S |
 *
 * A sealed value is base64 of AES-256-ECB, padded as PKCS #7 says. The key is made of the MD5 of the mutex's text:
 * its 16 bytes at 0 and once more at 15, and a zero byte at 31. Clones have AES with the plain MD5, CBC with an IV
 * of zeros or one before the text, and 3DES-ECB.
 *
 * There is no MAC. Proof is that most of the sealed values (at least three) open to readable text under the key
 * made of one of the texts beside them: a wrong key passes the padding of one in 255.
 *
 * The way of sealing is an old snippet that many programs copied. It takes a name of the family to tell whose the
 * values are; where the names are gone, their order and a text such as only this family has.
 *
 * Reference: https://github.com/jeFF0Falltrades/rat_king_parser and
 * https://malpedia.caad.fkie.fraunhofer.de/details/win.xworm.
 */
const FEWEST_OPENED = 3;
const FEWEST_SHARE = 0.6;
const LONGEST_KEY_TEXT = 256;
/** Texts by keys by schemes: some tenths of a second. Real ones take a handful. */
const MOST_ATTEMPTS = 20_000;

/** How a value may be sealed; the key is made of an MD5. */
interface Scheme {
  readonly cipher: string;
  key(md5: Buffer): Buffer;
  readonly iv?: 'zeros' | 'first';
}

const SCHEMES: readonly Scheme[] = [
  { cipher: 'aes-256-ecb', key: overlapped },
  { cipher: 'aes-256-cbc', key: overlapped, iv: 'zeros' },
  { cipher: 'aes-256-cbc', key: overlapped, iv: 'first' },
  { cipher: 'aes-128-ecb', key: (md5) => md5 },
  { cipher: 'aes-128-cbc', key: (md5) => md5, iv: 'zeros' },
  { cipher: 'aes-128-cbc', key: (md5) => md5, iv: 'first' },
  { cipher: 'des-ede', key: (md5) => md5 },
];

export const xworm: Extractor = {
  family: 'xworm',
  pages: {
    xworm: {
      name: 'XWorm',
      reads:
        'hosts, port, version, mutex, keys of the traffic, delay, install folder and file, file on other drives, wallets, Telegram chat',
      versions: '2 to 5.6 and clones with AES-128, CBC or 3DES, template',
      proof:
        'padding and readable text of most values (at least three) under a key made of one text beside them, and names of the family or, in their order, hosts, port and its way of marking texts',
      notCovered:
        'programs whose texts or code are encrypted by a packer; versions that seal with another scheme; settings that no constructor stores, or that are compiled into the code as constants; names gone and the order changed',
      references: [
        'https://github.com/jeFF0Falltrades/rat_king_parser',
        'https://malpedia.caad.fkie.fraunhofer.de/details/win.xworm',
      ],
    },
  },
  category: 'RAT',
  tags: pickTags('SETTING_DEAD_DROP', 'SETTING_TELEGRAM', 'SETTING_CLIPPER', 'SETTING_USB_SPREAD'),

  matches: (subject) =>
    hasName(subject, 'MD5CryptoServiceProvider', 'MD5') &&
    hasName(
      subject,
      ...['RijndaelManaged', 'AesManaged', 'AesCryptoServiceProvider', 'Aes', 'Rijndael'],
      'TripleDESCryptoServiceProvider',
    ),

  extract(subject, budget) {
    const settings = settingsOf(subject);
    if (settings === undefined) return undefined;
    const found = open(settings, budget);
    return found === undefined ? recogniseTemplate(settings) : extraction(found);
  },
};

interface Opened {
  readonly field: string;
  readonly text: string;
}

interface Found {
  readonly block: SettingsBlock;
  /** In order; those that do not open are left out. */
  readonly opened: readonly Opened[];
  readonly keyField: TextField;
}

/** MD5 at 0 and at 15, so that the second copy covers the last byte of the first. */
function overlapped(md5: Buffer): Buffer {
  const key = Buffer.alloc(32);
  md5.copy(key, 0);
  md5.copy(key, 15);
  return key;
}

function open(settings: DotnetSettings, budget: Budget): Found | undefined {
  const blocks = sealedBlocks(settings, isSealedForm, FEWEST_OPENED);
  let attemptsLeft = MOST_ATTEMPTS;
  for (const { block, fields, sealed } of blocks) {
    for (const keyField of byLikelihood(fields)) {
      attemptsLeft -= SCHEMES.length * sealed.length;
      if (attemptsLeft < 0 || budget.isOver()) return undefined;
      const opened = openAll(sealed, keyField);
      if (opened !== undefined) return { block, opened, keyField };
    }
  }
  return undefined;
}

function byLikelihood(fields: readonly TextField[]): TextField[] {
  const rank = ({ field }: TextField) => (/mutex/i.test(field) ? 0 : 1);
  return fields
    .filter(({ text }) => text !== '' && text.length <= LONGEST_KEY_TEXT)
    .toSorted((a, b) => rank(a) - rank(b));
}

/**
 * What most texts open by. Others may open some too: of a text that is one block long, ECB and CBC with an IV of
 * zeros make the same.
 */
function openAll(fields: readonly SealedField[], keyField: TextField): Opened[] | undefined {
  const md5 = createHash('md5').update(keyField.text).digest();
  const sealed = fields.filter(({ fieldToken }) => fieldToken !== keyField.fieldToken);
  const fewest = Math.max(FEWEST_OPENED, Math.ceil(sealed.length * FEWEST_SHARE));
  let best: Opened[] | undefined;
  for (const scheme of SCHEMES) {
    const opened = openBy(scheme, { sealed, key: scheme.key(md5), fewest });
    if (opened !== undefined && opened.length > (best?.length ?? 0)) best = opened;
  }
  return best;
}

/** Gives up as soon as too many do not open, which is nearly always at once. */
function openBy(
  scheme: Scheme,
  { sealed, key, fewest }: { sealed: readonly SealedField[]; key: Buffer; fewest: number },
): Opened[] | undefined {
  const opened: Opened[] = [];
  for (const [place, { field, bytes }] of sealed.entries()) {
    const value = openText(bytes, scheme, key);
    if (value !== undefined) opened.push({ field, text: value });
    if (opened.length + sealed.length - place - 1 < fewest) return undefined;
  }
  // Settings of nothing but empty texts say nothing of the family.
  return opened.filter(({ text }) => text !== '').length >= FEWEST_OPENED ? opened : undefined;
}

function openText(bytes: Buffer, { cipher, iv }: Scheme, key: Buffer): string | undefined {
  const size = blockBytes(cipher);
  if (iv === undefined) return readableText(decrypted({ cipher, key, bytes }));
  if (iv === 'zeros')
    return readableText(decrypted({ cipher, key, iv: Buffer.alloc(size), bytes }));
  if (bytes.length < size * 2) return undefined;
  const first = bytes.subarray(0, size);
  return readableText(decrypted({ cipher, key, iv: first, bytes: bytes.subarray(size) }));
}

function isSealedForm(bytes: Buffer): boolean {
  return bytes.length >= 8 && bytes.length % 8 === 0;
}

interface Values {
  readonly hosts: string;
  readonly ports: readonly number[];
  readonly group?: string | undefined;
  /** By the name of the field in lower case. */
  readonly named: ReadonlyMap<string, string>;
}

function extraction({ block, opened, keyField }: Found): Extraction | undefined {
  const values = valuesByName(opened) ?? valuesByOrder(opened);
  if (values === undefined) return undefined;
  const { named } = values;
  const endpoints = [...endpointsOf(values), ...dropsOf(named)];
  const telegram = named.get('token');
  return {
    version: versionOf(values.group),
    campaign: listOf(values.group),
    mutex: listOf(keyField.text),
    endpoints,
    other: otherSettings({
      Key: named.get('key'),
      Delimiter: named.get('spl'),
      Sleep: sleepIn(block),
      'USB File': named.get('usbnm'),
      'Install Folder': named.get('installdir'),
      'Install File': named.get('installstr'),
      ...wallets(named),
      'Telegram Bot Token': telegram,
      'Telegram Chat ID': named.get('chatid'),
    }),
    capabilities: switchedOn({
      SETTING_DEAD_DROP: endpoints.some(({ usage }) => usage === 'dead-drop'),
      SETTING_TELEGRAM: telegram !== undefined && /^\d+:/.test(telegram),
      SETTING_CLIPPER: Object.keys(wallets(named)).length > 0,
      SETTING_USB_SPREAD: /\.\w+$/.test(named.get('usbnm') ?? ''),
    }),
    offset: block.fields[0]?.offset,
  };
}

const NAMES_OF_GROUP = ['groub', 'group'];
/** Hosts and ports are sealed like this by others, too. */
const OWN_NAMES = ['groub', 'spl', 'usbnm'];

function valuesByName(opened: readonly Opened[]): Values | undefined {
  const named = new Map(opened.map(({ field, text }) => [field.toLowerCase(), text]));
  const hosts = named.get('hosts') ?? named.get('host');
  const ports = portsAmong(named.get('port') ?? named.get('ports') ?? '');
  if (hosts === undefined || (ports.length === 0 && !isUrl(hosts))) return undefined;
  if (!OWN_NAMES.some((name) => named.has(name))) return undefined;
  const group = NAMES_OF_GROUP.map((name) => named.get(name)).find((text) => text !== undefined);
  return { hosts, ports, group, named };
}

/** What stands where, from the hosts on. */
const ORDER = ['hosts', 'port', 'key', 'spl', 'groub', 'usbnm', 'installdir', 'installstr'];
/** As far as all versions have it. */
const SURE = 6;
/** Other programs have a host and a port, too. */
const FEWEST_IN_ORDER = 5;

/** Without names the port is the first number, and the hosts stand before it. */
function valuesByOrder(opened: readonly Opened[]): Values | undefined {
  const portAt = opened.findIndex(({ text }) => parsePorts(text) !== undefined);
  const ordered = opened.slice(portAt - 1).map(({ text }) => text);
  const [hosts, ports] = ordered;
  if (portAt < 1 || ordered.length < FEWEST_IN_ORDER) return undefined;
  if (hosts === undefined || ports === undefined) return undefined;
  if (!areHosts(hosts) || !ordered.slice(0, SURE).some(isOwnText)) return undefined;
  const places = ordered.slice(0, isFileName(ordered[7]) ? ORDER.length : SURE);
  const named = new Map(places.map((text, place) => [ORDER[place] ?? '', text]));
  for (const [name, text] of namedByForm(ordered.slice(places.length))) named.set(name, text);
  return { hosts, ports: parsePorts(ports) ?? [], group: named.get('groub'), named };
}

const FORMS: readonly (readonly [name: string, form: RegExp])[] = [
  ['token', /^\d{6,12}:[\w-]{30,50}$/],
  ['btc', /^(?:bc1[a-z0-9]{25,87}|[13][1-9A-HJ-NP-Za-km-z]{25,34})$/],
  ['eth', /^0x[0-9a-f]{40}$/i],
  ['trc', /^T[1-9A-HJ-NP-Za-km-z]{33}$/],
];

/** What stands behind those that have a place. A chat is any number, but it follows the token. */
function namedByForm(texts: readonly string[]): [name: string, text: string][] {
  return texts.flatMap((text, place) => {
    const [name] = FORMS.find(([, form]) => form.test(text)) ?? [];
    if (name === undefined) return [];
    const next = texts[place + 1] ?? '';
    const chat: [string, string][] =
      name === 'token' && /^-?\d{5,20}$/.test(next) ? [['chatid', next]] : [];
    return [[name, text], ...chat];
  });
}

/** Like `<Xwormmm>`, or its own name. Without one of these it may be any program that seals in this common way. */
function isOwnText(text: string): boolean {
  return /^<[^<>]{1,64}>$/.test(text) || /xworm/i.test(text);
}

function areHosts(text: string): boolean {
  const listed = splitList(text, ',');
  return listed.length > 0 && listed.every((host) => isUrl(host) || isHost(host));
}

function isFileName(text: string | undefined): boolean {
  return text !== undefined && /^[^\\/:*?"<>|]+\.\w{2,4}$/.test(text);
}

function endpointsOf({ hosts, ports }: Values): readonly Endpoint[] {
  const listed = listedHosts(hosts);
  const drops = listed.filter(isUrl).map(deadDrop);
  const named = listed.filter((host) => !isUrl(host));
  return [...eachHostAndPort(named, ports), ...drops];
}

/** Some versions have a field of its own for the page. */
function dropsOf(named: Values['named']): Endpoint[] {
  return [...named].flatMap(([name, text]) =>
    name.startsWith('paste') && isUrl(text) ? [deadDrop(text)] : [],
  );
}

function sleepIn({ fields }: SettingsBlock): string | undefined {
  const value = fields.find(({ field }) => field === 'Sleep')?.value;
  return typeof value === 'number' ? value.toString() : undefined;
}

function versionOf(group: string | undefined): string | undefined {
  return /^xworm\s+v?(\d+(?:\.\d+)*)/i.exec(group ?? '')?.[1];
}

const WALLETS = ['btc', 'eth', 'trc', 'ltc', 'xmr'];

/** The builder writes the coin's name where there is none. */
function wallets(named: Values['named']): Record<string, string> {
  return Object.fromEntries(
    WALLETS.flatMap((coin) => {
      const address = named.get(coin) ?? '';
      return /^[A-Za-z0-9]{25,120}$/.test(address)
        ? [[`${coin.toUpperCase()} Address`, address]]
        : [];
    }),
  );
}

function recogniseTemplate(settings: DotnetSettings): Recognition | undefined {
  const block = settings.blocks.find((one) => {
    const texts = textFields(one);
    const names = new Set(texts.map(({ field }) => field.toLowerCase()));
    const unfilled = texts.filter(({ text }) => /^%[A-Za-z_]{2,32}%$/.test(text)).length;
    return unfilled >= FEWEST_OPENED && names.has('spl') && names.has('usbnm');
  });
  if (block === undefined) return undefined;
  return { unread: 'template that was never built', offset: block.fields[0]?.offset };
}
