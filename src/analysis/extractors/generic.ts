import { isElf } from '../formats/elf/layout.ts';
import { isPlain } from '../formats/script/text.ts';
import type { Subject } from '../subject.ts';
import { type ExfiltrationChannel, mergeChannels } from './exfiltration/channels.ts';
import {
  channelsIn,
  distinctChannels,
  MAX_CHANNELS,
  reportedChannels,
} from './exfiltration/webhooks.ts';
import type { Extractor } from './extractor.ts';

/**
 * Finds webhooks and bot tokens in programs and scripts. Their forms are in `webhooks.ts`; other
 * URLs are reported as indicators only, because benign programs are full of them. Of a program
 * whose family is known, only those that the family's settings do not contain are reported.
 *
 * | encoding | searched in |
 * |---|---|
 * | ASCII | programs and scripts |
 * | UTF-16LE | Windows programs |
 * | base64 of either | Windows programs and scripts |
 *
 * The search looks for short needles that start with a rare byte, then parses the text around each
 * hit.
 */
const MAX_BYTES = 64 * 1024 * 1024;
const TEXT_SAMPLE_BYTES = 4096;
const MAX_TEXT_BYTES = 8 * 1024 * 1024;
const MAX_HITS = 2000;
/** Window around a needle, in characters. */
const CHARACTERS_BEFORE = 96;
const CHARACTERS_AFTER = 192;
const BASE64_WINDOW = 512;

const NEEDLES = ['/webho', ':AA', '.slack'];
/** `/webhooks` in base64, at each of the three alignments. */
const BASE64_NEEDLES = ['3dlYmh', '93ZWJo', 'vd2ViaG'];

export const generic: Extractor = {
  family: 'generic',
  namesFamily: false,
  tags: {
    EXFILTRATES_TO_WEBHOOK: [5, 'Contains a complete webhook with its secret'],
    EXFILTRATES_TO_BOT: [5, 'Contains the complete token of a Telegram bot'],
  },
  pages: {
    generic: {
      name: 'Webhooks and bots',
      reads: 'Discord, Slack and Guilded webhooks, Telegram tokens and their chats',
      versions:
        'programs for Windows, Linux and macOS, and scripts; plain, UTF-16LE and base64; beside the settings of a family those that it does not report',
      proof:
        'none for a family: the form of webhooks and tokens (reported as heuristic, without a family)',
      notCovered: 'values that are encrypted or assembled at run time',
      references: [
        'https://discord.com/developers/docs/resources/webhook',
        'https://core.telegram.org/bots/api',
      ],
    },
  },

  matches: (subject) => kindOf(subject) !== undefined,

  extract(subject, budget, reported = []) {
    const kind = kindOf(subject);
    if (kind === undefined) return undefined;
    const channels: ExfiltrationChannel[] = [];
    const isReported = reportedChannels(reported);
    let offset: number | undefined;
    for (const { text, at } of windows(subject.bytes, kind)) {
      if (budget.isOver()) break;
      const found = channelsIn(
        text.split(SEPARATORS).filter(({ length }) => length >= MIN_TEXT_LENGTH),
      ).filter((channel) => !isReported(channel));
      if (found.length > 0) offset ??= at;
      channels.push(...found);
    }
    const found = mergeChannels(distinctChannels(channels).slice(0, MAX_CHANNELS));
    return found && { ...found, capabilities: capabilitiesOf(channels), heuristic: true, offset };
  },
};

/** No chat id or credential is shorter. */
const MIN_TEXT_LENGTH = 6;
/** Splits the window into texts: the chat of a token is a neighbouring text. */
const SEPARATORS = /[\s'"`<>(){}[\],;]|[^\x20-\x7e]/;

type Kind = 'windows' | 'other-program' | 'text';

const MACHO_MAGICS: ReadonlySet<number> = new Set([0xcffaedfe, 0xcefaedfe, 0xcafebabe, 0xfeedfacf]);

function kindOf({ bytes }: Subject): Kind | undefined {
  if (bytes.length < 64 || bytes.length > MAX_BYTES) return undefined;
  const start = bytes.readUInt32BE(0);
  if (start >>> 16 === 0x4d5a) return 'windows';
  if (isElf(bytes) || MACHO_MAGICS.has(start)) return 'other-program';
  const isText = bytes.length <= MAX_TEXT_BYTES && isPlain(bytes.subarray(0, TEXT_SAMPLE_BYTES));
  return isText ? 'text' : undefined;
}

interface Window {
  readonly text: string;
  readonly at: number;
}

function* windows(bytes: Buffer, kind: Kind): Generator<Window> {
  const widths = kind === 'windows' ? ([1, 2] as const) : ([1] as const);
  for (const width of widths) {
    for (const needle of NEEDLES) {
      for (const at of offsetsOf(bytes, needle, width))
        yield { text: around(bytes, at, width), at };
    }
    if (kind === 'other-program') continue;
    for (const needle of BASE64_NEEDLES) {
      for (const at of offsetsOf(bytes, needle, width))
        yield { text: decoded(bytes, at, width), at };
    }
  }
}

function* offsetsOf(bytes: Buffer, needle: string, width: 1 | 2): Generator<number> {
  const sought = Buffer.from(needle, width === 1 ? 'latin1' : 'utf16le');
  let at = bytes.indexOf(sought);
  for (let hits = 0; at !== -1 && hits < MAX_HITS; hits += 1) {
    yield at;
    at = bytes.indexOf(sought, at + sought.length);
  }
}

interface TextSpan {
  readonly width: 1 | 2;
  readonly count: number;
}

function textAt(bytes: Buffer, at: number, { width, count }: TextSpan): string {
  return bytes.toString(width === 1 ? 'latin1' : 'utf16le', at, at + count * width);
}

function around(bytes: Buffer, at: number, width: 1 | 2): string {
  const before = Math.min(CHARACTERS_BEFORE, Math.floor(at / width));
  return textAt(bytes, at - before * width, { width, count: before + CHARACTERS_AFTER });
}

const BASE64_DIGIT = /[A-Za-z0-9+/]/;

/** The decoded base64 run around that offset. */
function decoded(bytes: Buffer, at: number, width: 1 | 2): string {
  const before = Math.min(BASE64_WINDOW, Math.floor(at / width));
  const text = textAt(bytes, at - before * width, { width, count: before + BASE64_WINDOW });
  let start = before;
  while (start > 0 && BASE64_DIGIT.test(text[start - 1] ?? '')) start -= 1;
  const digits = /^[A-Za-z0-9+/]*/.exec(text.slice(start))?.[0] ?? '';
  const plain = Buffer.from(digits, 'base64');
  // In UTF-16LE every other byte is zero.
  return plain.toString(plain[1] === 0 ? 'utf16le' : 'latin1');
}

function capabilitiesOf(channels: readonly ExfiltrationChannel[]): string[] {
  const has = (...names: string[]) =>
    channels.some(({ other }) => names.some((name) => Object.hasOwn(other, name)));
  return [
    ...(has('Discord Webhook', 'Webhook') ? ['EXFILTRATES_TO_WEBHOOK'] : []),
    ...(has('Telegram Bot Token') ? ['EXFILTRATES_TO_BOT'] : []),
  ];
}
