import { hash } from 'node:crypto';
import { base64Bytes } from '../codecs/base64.ts';
import { decrypt } from '../codecs/block-ciphers.ts';
import { readableText } from '../codecs/readable-text.ts';
import type { Budget } from '../formats/format.ts';
import { pickTags, switchedOn } from './capability-tags.ts';
import {
  type DotnetSettings,
  type LocatedText,
  type SettingsBlock,
  settingsOf,
} from './dotnet-settings/dotnet-settings.ts';
import { hasLiteral, literals } from './dotnet-settings/metadata-probes.ts';
import { parsePort } from './endpoints/addresses.ts';
import { isHost, isMailAddress } from './endpoints/hosts.ts';
import {
  type ChannelReader,
  firstOfEachChannel,
  isChatId,
  isFtpUrl,
  mergeChannels,
  telegramToken,
  toFileServer,
  toMailbox,
  toTelegram,
} from './exfiltration/channels.ts';
import type { Extractor } from './extractor.ts';
import { isPlaceholder } from './setting-texts.ts';

/**
 * Snake Keylogger (404 Keylogger) compares a literal with `$%SMTPDV$`, `%FTPDV$` or `$%TelegramDv$` to know how to
 * send what it took, and keeps the accounts in fields, nearly always stored by a static constructor, in this order:
 *
 * | way | fields |
 * |---|---|
 * | SMTP | sender, password, host, recipient, port |
 * | FTP | user, password, `ftp://host/…` |
 * | Telegram | token of the bot, chat id |
 *
 * Plain in some builds. In others each is sealed under a text that is a field or an argument beside it:
 *
 *   value = base64( DES-ECB( text, padded as PKCS #7 says ) )      key = the first 8 bytes of MD5( text of the key )
 *
 * Reference: https://malpedia.caad.fkie.fraunhofer.de/details/win.404keylogger
 */
const MARKERS = ['$%TelegramDv$', '$%SMTPDV$', '%FTPDV$'];
const MARKER_LITERALS = literals(...MARKERS);
/** Its name stands in programs that look for it, too: only values that were sealed count beside that. */
const MARKS = [...MARKER_LITERALS, ...literals('Snake Keylogger', 'Snake Tracker')];

const BLOCK_BYTES = 8;
const MOST_TEXTS = 256;
const MOST_KEYS = 256;
const LONGEST_KEY = 256;
const MOST_BLOCKS = 500;
/** Where all literals are looked at: so many before the first that may be sealed. */
const NEAR_TEXTS = 32;
/** One padding in 256 is right by chance: two that are readable besides, and the form of what they say, is proof. */
const FEWEST_OPENED = 2;
const SHARE_OPENED = 0.8;

export const snake: Extractor = {
  family: 'snake_keylogger',
  category: 'STEALER',
  tags: pickTags('SETTING_TELEGRAM'),
  pages: {
    snake_keylogger: {
      name: 'Snake Keylogger (404 Keylogger)',
      reads:
        'SMTP host, port, account and recipient; FTP address and account; Telegram bot and chat',
      versions:
        'builds with the markers of the way of sending or with its name, sealed by DES or plain',
      proof:
        'padding and readable text of the values under one key, and the form of each in its order; plain: markers and form',
      notCovered:
        'packed builds; later ones that seal with AES or keep the account on a server; plain settings that no constructor sets',
      references: ['https://malpedia.caad.fkie.fraunhofer.de/details/win.404keylogger'],
    },
  },

  matches: (subject) => hasLiteral(subject, MARKS),

  extract(subject, budget) {
    const settings = settingsOf(subject);
    if (settings === undefined) return undefined;
    const hasMarker = hasLiteral(subject, MARKER_LITERALS);
    const keys = keysIn(settings.blocks);
    for (const { texts, near, isSet } of groupsOf(settings)) {
      if (budget.isOver()) return undefined;
      const plain = hasMarker && isSet ? texts.map(({ text }) => text) : [];
      const values = opened(texts, near, budget) ?? opened(texts, keys, budget) ?? plain;
      const found = mergeChannels(firstOfEachChannel(values, READERS));
      if (found === undefined) continue;
      const isTelegram = found.other?.['Telegram Bot Token'] !== undefined;
      return {
        ...found,
        capabilities: switchedOn({ SETTING_TELEGRAM: isTelegram }),
        offset: texts[0]?.offset,
      };
    }
    const isUnbuilt = hasMarker && staticBlocks(settings).some(isTemplate);
    return isUnbuilt ? { unread: 'template that was never built' } : undefined;
  },
};

/** Texts that were set together. */
interface Group {
  readonly texts: readonly LocatedText[];
  /** Nearly always the key is one of its neighbours. */
  readonly near: readonly Buffer[];
  /** Whether they go into fields. What only stands side by side proves nothing unless it was sealed. */
  readonly isSet: boolean;
}

function staticBlocks({ blocks }: DotnetSettings): SettingsBlock[] {
  return blocks.filter(({ kind }) => kind === 'cctor').slice(0, MOST_BLOCKS);
}

/** What constructors set, static ones first; then all literals, for settings that are set by other methods. */
function* groupsOf(settings: DotnetSettings): Generator<Group> {
  const others = settings.blocks.filter(({ kind }) => kind === 'ctor').slice(0, MOST_BLOCKS);
  for (const block of [...staticBlocks(settings), ...others])
    yield { texts: textsOf(block), near: keysIn([block]), isSet: true };
  const { strings } = settings;
  const firstSealed = strings.findIndex(({ text }) => sealedBytes(text) !== undefined);
  const start = Math.max(0, firstSealed - NEAR_TEXTS);
  const texts = strings.slice(start, start + MOST_TEXTS);
  yield { texts, near: keysOf(texts.map(({ text }) => text)), isSet: false };
}

function textsOf({ fields }: SettingsBlock): LocatedText[] {
  const texts = fields.flatMap(({ value, offset }) =>
    typeof value === 'string' ? [{ text: value, offset }] : [],
  );
  return texts.slice(0, MOST_TEXTS);
}

/** Every text that goes into a field or is given to a call on the way there. */
function keysIn(blocks: readonly SettingsBlock[]): Buffer[] {
  return keysOf(
    blocks.flatMap(({ fields }) => fields.flatMap(({ value, inputs }) => [value, ...inputs])),
  );
}

function keysOf(values: readonly unknown[]): Buffer[] {
  const texts = new Set<string>();
  for (const text of values) {
    if (typeof text === 'string' && text !== '' && text.length <= LONGEST_KEY) texts.add(text);
    if (texts.size === MOST_KEYS) break;
  }
  return [...texts].map(keyOf);
}

/**
 * OpenSSL keeps plain DES among what is outdated; three times with one key it is the same (to encrypt, to
 * decrypt and to encrypt again).
 */
function keyOf(text: string): Buffer {
  const key = hash('md5', text, 'buffer').subarray(0, 8);
  return Buffer.concat([key, key, key]);
}

/** The texts in their order, those that were sealed opened; nothing where no key fits. */
function opened(
  texts: readonly LocatedText[],
  keys: readonly Buffer[],
  budget: Budget,
): string[] | undefined {
  const sealed = texts.map(({ text }) => sealedBytes(text));
  const count = sealed.filter((bytes) => bytes !== undefined).length;
  if (count < FEWEST_OPENED) return undefined;
  for (const key of keys) {
    if (budget.isOver()) return undefined;
    const open = openedBy(key, sealed);
    const fits = open.filter((text) => text !== undefined).length;
    if (fits >= FEWEST_OPENED && fits >= count * SHARE_OPENED)
      return texts.map(({ text }, place) => open[place] ?? text);
  }
  return undefined;
}

/** A wrong key is given up at the first two values that it does not open. */
function openedBy(
  key: Buffer,
  sealed: readonly (Buffer | undefined)[],
): readonly (string | undefined)[] {
  const open: (string | undefined)[] = [];
  let failures = 0;
  for (const bytes of sealed) {
    const text =
      bytes === undefined
        ? undefined
        : readableText(decrypt({ cipher: 'des-ede3-ecb', key, bytes }));
    open.push(text);
    if (bytes !== undefined && text === undefined) failures += 1;
    if (failures > sealed.length * (1 - SHARE_OPENED)) return [];
  }
  return open;
}

function sealedBytes(text: string): Buffer | undefined {
  const bytes = base64Bytes(text);
  return bytes !== undefined && bytes.length % BLOCK_BYTES === 0 ? bytes : undefined;
}

const READERS: readonly ChannelReader[] = [
  ([token = '', chat = '']) => {
    const known = telegramToken(token);
    return known === undefined || !isChatId(chat) ? undefined : toTelegram(known, chat);
  },
  ([user = '', password = '', host = '', recipient = '', portText = '']) => {
    const port = parsePort(portText);
    if (!isMailAddress(user) || !isHost(host) || !isMailAddress(recipient)) return undefined;
    if (password === '' || port === undefined) return undefined;
    return toMailbox({ host, port, user, password, recipient });
  },
  ([user = '', password = '', address = '']) => {
    if (!isFtpUrl(address) || user === '' || password === '') return undefined;
    return toFileServer(address, user, password);
  },
];

function isTemplate(block: SettingsBlock): boolean {
  const isUnset = ({ text }: LocatedText) => isPlaceholder(text) && !MARKERS.includes(text);
  return textsOf(block).filter(isUnset).length >= 3;
}
