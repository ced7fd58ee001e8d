import { hash } from 'node:crypto';
import { base64Bytes } from '../codecs/base64.ts';
import { decrypt } from '../codecs/block-ciphers.ts';
import { readableText } from '../codecs/readable-text.ts';
import type { Budget } from '../formats/format.ts';
import type { Subject } from '../subject.ts';
import { enabledTags, pickTags } from './capability-tags.ts';
import {
  type DotnetSettings,
  type LocatedText,
  type SettingsBlock,
  settingsOf,
} from './dotnet-settings/dotnet-settings.ts';
import { firstUsed } from './dotnet-settings/field-uses.ts';
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
import type { Extraction, Extractor } from './extractor.ts';
import { isPlaceholder } from './setting-texts.ts';
import { KIN_LITERALS, kinPages, namedFamily } from './snake-kin.ts';

/**
 * Snake Keylogger (404 Keylogger) selects its exfiltration channel by a marker literal and keeps
 * the account in fields, which usually a static constructor sets in this order:
 *
 * | marker | fields |
 * |---|---|
 * | `$%SMTPDV$` | sender, password, host, recipient, port |
 * | `%FTPDV$` | user, password, `ftp://host/…` |
 * | `$%TelegramDv$` | bot token, chat id |
 *
 * Some builds have plain values. Others encrypt each value with a key that is another field or an
 * argument of a call:
 *
 *   value = base64( DES-ECB( text, PKCS #7 padding ) ), key = the first 8 bytes of MD5( key text )
 *
 * `snake-kin.ts` tells the families apart that share this layout.
 *
 * Reference: https://malpedia.caad.fkie.fraunhofer.de/details/win.404keylogger
 */
/** In the order of `READERS`. */
const MARKERS = ['$%TelegramDv$', '$%SMTPDV$', '%FTPDV$'];
/** Detection tools contain the names, too, so a match by name requires encrypted values. */
const MATCHED_LITERALS = [...literals(...MARKERS), ...KIN_LITERALS];

const BLOCK_BYTES = 8;
const MAX_TEXTS = 256;
const MAX_KEYS = 256;
const MAX_KEY_LENGTH = 256;
const MAX_BLOCKS = 500;
/** Among all literals, the group starts this many before the first that may be encrypted. */
const TEXTS_BEFORE_ENCRYPTED = 32;
/** One padding in 256 is right by chance. Two readable values with the expected forms are proof. */
const MIN_DECRYPTED = 2;
const MIN_DECRYPTED_SHARE = 0.8;

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
        'builds with the marker of an exfiltration channel or the name of the family; settings encrypted with DES or plain',
      proof:
        'encrypted: padding and readable text of the values with one key, and the expected form of each; plain: none (reported as heuristic), marker and form',
      notCovered:
        'packed builds; later builds that encrypt with AES or store the account on a server; plain settings that no constructor stores',
      references: ['https://malpedia.caad.fkie.fraunhofer.de/details/win.404keylogger'],
    },
    ...kinPages,
  },

  matches: (subject) => hasLiteral(subject, MATCHED_LITERALS),

  extract(subject, budget) {
    const settings = settingsOf(subject);
    if (settings === undefined) return undefined;
    // A detection tool may contain a marker in a longer text.
    const hasMarker = settings.strings.some(({ text }) => MARKERS.includes(text));
    const found = firstUsed(candidates(settings, hasMarker, budget), settings);
    if (found !== undefined) return describe(subject, found);
    if (budget.isOver()) return undefined;
    const isUnbuilt = hasMarker && staticBlocks(settings).some(isTemplate);
    if (!isUnbuilt) return undefined;
    const { family } = namedFamily(subject);
    const unread = 'template that was never built';
    return family === undefined ? { unread } : { family, unread };
  },
};

interface Candidate {
  readonly block: Group['block'];
  readonly channels: Pick<Extraction, 'endpoints' | 'other'>;
  readonly isPlain: boolean;
  readonly offset: number | undefined;
}

function* candidates(
  settings: DotnetSettings,
  hasMarker: boolean,
  budget: Budget,
): Generator<Candidate> {
  const keys = keysIn(settings.blocks);
  const readers = selectedReaders(settings);
  for (const { block, texts, nearKeys, isStored } of groupsOf(settings)) {
    if (budget.isOver()) return;
    // Without a marker, plain texts prove nothing, also beside encrypted ones.
    const plain = texts.map((one) => (hasMarker ? one.plain : ''));
    const decrypted = decryptTexts(texts, nearKeys, budget) ?? decryptTexts(texts, keys, budget);
    const values = decrypted?.map((text, index) => text ?? plain[index] ?? '');
    const channels = mergeChannels(firstOfEachChannel(values ?? (isStored ? plain : []), readers));
    const isPlain = decrypted === undefined;
    if (channels !== undefined) yield { block, channels, isPlain, offset: texts[0]?.offset };
  }
}

function describe(subject: Subject, { channels, isPlain, offset }: Candidate): Extraction {
  const isTelegram = channels.other?.['Telegram Bot Token'] !== undefined;
  const { other, ...named } = namedFamily(subject);
  return {
    ...named,
    ...channels,
    other: { ...channels.other, ...other },
    capabilities: enabledTags({ SETTING_TELEGRAM: isTelegram }),
    ...(isPlain && { heuristic: true }),
    offset,
  };
}

/** A text, and its value if it is not encrypted: empty if a call changes it. */
interface GroupText extends LocatedText {
  readonly plain: string;
}

/** Texts that may form one set of settings. */
interface Group {
  readonly block: Pick<SettingsBlock, 'fields'>;
  readonly texts: readonly GroupText[];
  /** Keys made from the texts of the group, which usually contain the right one. */
  readonly nearKeys: readonly Key[];
  /** Whether fields hold the texts. Adjacent literals prove nothing unless they are encrypted. */
  readonly isStored: boolean;
}

function staticBlocks({ blocks }: DotnetSettings): SettingsBlock[] {
  return blocks.filter(({ kind }) => kind === 'cctor').slice(0, MAX_BLOCKS);
}

/** The texts of static constructors, of instance constructors, then all literals. */
function* groupsOf(settings: DotnetSettings): Generator<Group> {
  const others = settings.blocks.filter(({ kind }) => kind === 'ctor').slice(0, MAX_BLOCKS);
  for (const block of [...staticBlocks(settings), ...others])
    yield { block, texts: textsOf(block), nearKeys: keysIn([block]), isStored: true };
  const { strings } = settings;
  const firstEncrypted = strings.findIndex(({ text }) => ciphertextOf(text) !== undefined);
  const start = Math.max(0, firstEncrypted - TEXTS_BEFORE_ENCRYPTED);
  const texts = strings
    .slice(start, start + MAX_TEXTS)
    .map(({ text, offset }) => ({ text, offset, plain: text }));
  const nearKeys = keysOf(texts.map(({ text }) => text));
  yield { block: { fields: [] }, texts, nearKeys, isStored: false };
}

function textsOf({ fields }: SettingsBlock): GroupText[] {
  const texts = fields.flatMap(({ value, result, isChangedLater, offset }) => {
    if (typeof value !== 'string') return [];
    const plain = typeof result === 'string' && !isChangedLater ? result : '';
    return [{ text: value, offset, plain }];
  });
  return texts.slice(0, MAX_TEXTS);
}

/** Keys made from every text that is stored in a field or passed to a call. */
function keysIn(blocks: readonly SettingsBlock[]): Key[] {
  return keysOf(
    blocks.flatMap(({ fields }) => fields.flatMap(({ value, inputs }) => [value, ...inputs])),
  );
}

function keysOf(values: readonly unknown[]): Key[] {
  const texts = new Set<string>();
  for (const text of values) {
    if (typeof text === 'string' && text !== '' && text.length <= MAX_KEY_LENGTH) texts.add(text);
    if (texts.size === MAX_KEYS) break;
  }
  return [...texts].map((text) => ({ text, bytes: keyOf(text) }));
}

interface Key {
  readonly text: string;
  readonly bytes: Buffer;
}

/**
 * OpenSSL provides single DES in its legacy module only. Triple DES with three equal keys is the
 * same function.
 */
function keyOf(text: string): Buffer {
  const key = hash('md5', text, 'buffer').subarray(0, 8);
  return Buffer.concat([key, key, key]);
}

/** The plaintexts by the index of the text; `undefined` if no key is right. */
function decryptTexts(
  texts: readonly LocatedText[],
  keys: readonly Key[],
  budget: Budget,
): readonly (string | undefined)[] | undefined {
  const all = texts.map(({ text }) => ciphertextOf(text));
  if (all.filter((bytes) => bytes !== undefined).length < MIN_DECRYPTED) return undefined;
  for (const key of keys) {
    if (budget.isOver()) return undefined;
    // A key of 32 or 64 letters has the form of a ciphertext, too.
    const ciphertexts = all.map((bytes, index) =>
      texts[index]?.text === key.text ? undefined : bytes,
    );
    const count = ciphertexts.filter((bytes) => bytes !== undefined).length;
    const plain = decryptWith(key.bytes, ciphertexts);
    const decrypted = plain.filter((text) => text !== undefined).length;
    if (decrypted >= MIN_DECRYPTED && decrypted >= count * MIN_DECRYPTED_SHARE) return plain;
  }
  return undefined;
}

/** Stops once too many values fail, which under a wrong key is after a few. */
function decryptWith(
  key: Buffer,
  ciphertexts: readonly (Buffer | undefined)[],
): readonly (string | undefined)[] {
  const plain: (string | undefined)[] = [];
  let failures = 0;
  for (const bytes of ciphertexts) {
    const text =
      bytes === undefined
        ? undefined
        : readableText(decrypt({ cipher: 'des-ede3-ecb', key, bytes }));
    plain.push(text);
    if (bytes !== undefined && text === undefined) failures += 1;
    if (failures > ciphertexts.length * (1 - MIN_DECRYPTED_SHARE)) return [];
  }
  return plain;
}

function ciphertextOf(text: string): Buffer | undefined {
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

/** If constructors store one marker, its channel is the one that the program uses. */
function selectedReaders({ blocks }: DotnetSettings): readonly ChannelReader[] {
  const stored = new Set(blocks.flatMap(({ fields }) => fields.map(({ result }) => result)));
  const selected = READERS.filter((_, index) => stored.has(MARKERS[index]));
  return selected.length === 1 ? selected : READERS;
}

function isTemplate(block: SettingsBlock): boolean {
  const isUnset = ({ text }: LocatedText) => isPlaceholder(text) && !MARKERS.includes(text);
  return textsOf(block).filter(isUnset).length >= 3;
}
