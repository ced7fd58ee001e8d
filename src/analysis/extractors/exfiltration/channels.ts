import { isHost } from '../endpoints/hosts.ts';
import type { Endpoint, Extraction } from '../extractor.ts';
import { otherSettings } from '../setting-texts.ts';

/**
 * Where stealers send what they took: a bot, a webhook, a mailbox or a file server. None of these is a server of
 * the family's own, so that they are told as places of upload and never as C2 addresses: those who block
 * C2s must not block a messenger or somebody's mail host.
 */
export interface Exfiltration {
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

export function toTelegram(token: string, chat: string | undefined): Exfiltration {
  return {
    endpoints: [
      { protocol: 'https', usage: 'upload', url: `https://api.telegram.org/bot${token}/` },
    ],
    other: otherSettings({ 'Telegram Bot Token': token, 'Telegram Chat ID': chat }),
  };
}

export function toDiscord(url: string): Exfiltration {
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

export function toMailbox({ host, port, user, password, recipient }: Mailbox): Exfiltration {
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

export function toFileServer(url: string, user: string, password: string): Exfiltration {
  return {
    endpoints: [{ protocol: 'ftp', usage: 'upload', url }],
    other: otherSettings({ 'FTP User': user, 'FTP Password': password }),
  };
}

/**
 * All of them as one; nothing if there is none. Of two of a kind the first is told by name, and its parts alone: a chat
 * must not stand beside the token of another bot. The addresses are those of all.
 */
export function together(
  ways: readonly Exfiltration[],
): Pick<Extraction, 'endpoints' | 'other'> | undefined {
  if (ways.length === 0) return undefined;
  return {
    endpoints: ways.flatMap(({ endpoints }) => endpoints),
    other: firstOfEachKind(ways),
  };
}

function firstOfEachKind(ways: readonly Exfiltration[]): Record<string, string> {
  const all: Record<string, string> = {};
  for (const { other } of ways) {
    const isKnown = Object.keys(other).some((name) => Object.hasOwn(all, name));
    if (!isKnown) Object.assign(all, other);
  }
  return all;
}

/** Looks at what begins at one place. */
export type WayReader = (texts: readonly string[]) => Exfiltration | undefined;

/** How many texts the longest way has. */
const WIDEST = 5;

/** Of each way the first that is met, wherever it begins. */
export function firstOfEachWay(
  texts: readonly string[],
  readers: readonly WayReader[],
): Exfiltration[] {
  const found = readers.map((read) => {
    for (let at = 0; at < texts.length; at += 1) {
      const way = read(texts.slice(at, at + WIDEST));
      if (way !== undefined) return way;
    }
    return undefined;
  });
  return found.filter((way) => way !== undefined);
}
