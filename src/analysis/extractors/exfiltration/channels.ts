import { isHost } from '../endpoints/hosts.ts';
import type { Endpoint, Extraction } from '../extractor.ts';
import { otherSettings } from '../setting-texts.ts';

/**
 * Where a stealer sends stolen data: a bot, a webhook, a mailbox or an FTP server. These are
 * uploads, never C2 addresses: a block list of C2s must not contain a messenger or a mail provider.
 */
export interface ExfiltrationChannel {
  readonly endpoints: readonly Endpoint[];
  readonly other: Readonly<Record<string, string>>;
}

const TELEGRAM_URL =
  /^https:\/\/api\.telegram\.org\/bot(\d{6,12}:[\w-]{30,60})(?:\/\w{0,40}){0,2}(?:\?\S{0,400})?$/;
const TELEGRAM_TOKEN = /^\d{6,12}:[\w-]{30,60}$/;
const CHAT_ID = /^-?\d{5,16}$/;
const WEBHOOK =
  /^https:\/\/(?:\w{1,20}\.)?discord(?:app)?\.com\/api(?:\/v\d{1,2})?\/webhooks\/\d{5,20}\/[\w-]{20,120}$/;

export function telegramToken(text: string): string | undefined {
  return TELEGRAM_TOKEN.test(text) ? text : TELEGRAM_URL.exec(text)?.[1];
}

export function isChatId(text: string): boolean {
  return CHAT_ID.test(text);
}

export function isDiscordWebhook(text: string): boolean {
  return WEBHOOK.test(text);
}

export function toTelegram(token: string, chat: string | undefined): ExfiltrationChannel {
  return {
    endpoints: [
      { protocol: 'https', usage: 'upload', url: `https://api.telegram.org/bot${token}/` },
    ],
    other: otherSettings({ 'Telegram Bot Token': token, 'Telegram Chat ID': chat }),
  };
}

export function toDiscord(url: string): ExfiltrationChannel {
  return {
    endpoints: [{ protocol: 'https', usage: 'upload', url }],
    other: { 'Discord Webhook': url },
  };
}

export interface Mailbox {
  readonly host: string;
  readonly port?: number | undefined;
  readonly user: string;
  readonly password: string;
  readonly recipient?: string | undefined;
}

export function toMailbox({ host, port, user, password, recipient }: Mailbox): ExfiltrationChannel {
  return {
    endpoints: [{ protocol: 'smtp', usage: 'upload', host, port }],
    other: otherSettings({
      'SMTP User': user,
      'SMTP Password': password,
      'SMTP Recipient': recipient,
    }),
  };
}

const FTP_URL = /^ftp:\/\/([^/\s:]{1,253})(?::\d{1,5})?(?:\/\S{0,400})?$/i;

export function isFtpUrl(text: string): boolean {
  return isHost(FTP_URL.exec(text)?.[1] ?? '');
}

export function toFileServer(url: string, user: string, password: string): ExfiltrationChannel {
  return {
    endpoints: [{ protocol: 'ftp', usage: 'upload', url }],
    other: otherSettings({ 'FTP User': user, 'FTP Password': password }),
  };
}

/**
 * The settings of all channels; `undefined` if there are none. Named values come from the first
 * channel of each kind, so that a chat never appears with the token of another bot. Endpoints come
 * from all.
 */
export function mergeChannels(
  channels: readonly ExfiltrationChannel[],
): Pick<Extraction, 'endpoints' | 'other'> | undefined {
  if (channels.length === 0) return undefined;
  return {
    endpoints: channels.flatMap(({ endpoints }) => endpoints),
    other: firstOfEachKind(channels),
  };
}

function firstOfEachKind(channels: readonly ExfiltrationChannel[]): Record<string, string> {
  const all: Record<string, string> = {};
  for (const { other } of channels) {
    const isKnown = Object.keys(other).some((name) => Object.hasOwn(all, name));
    if (!isKnown) Object.assign(all, other);
  }
  return all;
}

/** Reads a channel from consecutive texts; `undefined` if they do not start one. */
export type ChannelReader = (texts: readonly string[]) => ExfiltrationChannel | undefined;

/** Texts of the longest channel (SMTP). */
const MAX_CHANNEL_TEXTS = 5;

/** The first match of each reader, at any index. */
export function firstOfEachChannel(
  texts: readonly string[],
  readers: readonly ChannelReader[],
): ExfiltrationChannel[] {
  const found = readers.map((read) => {
    for (let start = 0; start < texts.length; start += 1) {
      const channel = read(texts.slice(start, start + MAX_CHANNEL_TEXTS));
      if (channel !== undefined) return channel;
    }
    return undefined;
  });
  return found.filter((channel) => channel !== undefined);
}
