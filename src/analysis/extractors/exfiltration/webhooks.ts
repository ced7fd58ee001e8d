import type { Extraction } from '../extractor.ts';
import { type ExfiltrationChannel, toDiscord, toTelegram } from './channels.ts';

/**
 * Webhooks and bot tokens in any text. They are live credentials with an unmistakable form:
 *
 * | service | form |
 * |---|---|
 * | Discord | `https://discord.com/api/webhooks/<17 to 20 digits>/<60 to 80 of [\w-]>` |
 * | Telegram bot | `<8 to 10 digits>:AA<33 of [\w-]>` |
 * | Slack | `https://hooks.slack.com/services/T…/B…/<24 letters and digits>` |
 * | Guilded | `https://media.guilded.gg/webhooks/<uuid>/<80 to 90 of [\w-]>` |
 *
 * The analysis never contacts them. References:
 * https://discord.com/developers/docs/resources/webhook, https://core.telegram.org/bots/api,
 * https://api.slack.com/messaging/webhooks
 */
const DISCORD =
  /https:\/\/(?:\w{1,20}\.)?discord(?:app)?\.com\/api(?:\/v\d{1,2})?\/webhooks\/\d{17,20}\/([\w-]{60,80})(?![\w-])/g;
const TELEGRAM = /(?:(?<=bot)|(?<![\w-]))\d{8,10}:AA[\w-]{33}(?![\w-])/g;
const SLACK =
  /https:\/\/hooks\.slack\.com\/services\/T[A-Z0-9]{8,12}\/B[A-Z0-9]{8,12}\/([A-Za-z0-9]{24})(?![\w-])/g;
const GUILDED =
  /https:\/\/media\.guilded\.gg\/webhooks\/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\/([\w-]{80,90})(?![\w-])/g;
/**
 * Examples of Telegram's documentation. Prefixes, because another character may follow a quotation.
 */
const DOCUMENTED_TOKENS = [
  '110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw',
  '4839574812:AAFD39kkdpWt3ywyRZergyOLMaJhac60qc',
];
/** Examples in documentation repeat a few characters. */
const MIN_DISTINCT_CHARACTERS = 9;
const MAX_SEARCH_LENGTH = 64 * 1024;

/** A cheap test before the expressions. */
function mayHoldWebhook(text: string): boolean {
  return text.includes('/webhooks/') || text.includes(':AA') || text.includes('hooks.slack.com');
}

function discordWebhooksIn(text: string): string[] {
  return matchesOf(text, DISCORD);
}

function otherWebhooksIn(text: string): string[] {
  return [...matchesOf(text, SLACK), ...matchesOf(text, GUILDED)];
}

function botTokensIn(text: string): string[] {
  const tokens = text.slice(0, MAX_SEARCH_LENGTH).match(TELEGRAM) ?? [];
  return tokens.filter(
    (token) => !isDocumented(token) && isVaried(token.slice(token.indexOf(':'))),
  );
}

function matchesOf(text: string, pattern: RegExp): string[] {
  return [...text.slice(0, MAX_SEARCH_LENGTH).matchAll(pattern)].flatMap(([url, secret = '']) =>
    isVaried(secret) ? [url] : [],
  );
}

function isDocumented(token: string): boolean {
  return DOCUMENTED_TOKENS.some((documented) => token.startsWith(documented));
}

function isVaried(secret: string): boolean {
  return new Set(secret).size >= MIN_DISTINCT_CHARACTERS;
}

const CHAT_ID = /^-?\d{6,14}$/;
const CHAT_IN_URL = /chat_id=(-?\d{6,14})/;
/** Distance of a chat from its token, in texts after and before it. */
const MAX_CHAT_AFTER = 8;
const MAX_CHAT_BEFORE = 3;
export const MAX_CHANNELS = 32;

/**
 * The channels in one list of texts, such as the constants of a function. A chat is assigned to the
 * nearest token.
 */
export function channelsIn(texts: readonly string[]): ExfiltrationChannel[] {
  const channels: ExfiltrationChannel[] = [];
  for (const [index, text] of texts.entries()) {
    if (!mayHoldWebhook(text)) continue;
    channels.push(
      ...discordWebhooksIn(text).map(toDiscord),
      ...otherWebhooksIn(text).map(toWebhook),
    );
    const tokens = botTokensIn(text).slice(0, MAX_CHANNELS);
    const near = tokens.length === 0 ? undefined : chatNear(texts, index);
    channels.push(...tokens.map((token) => toTelegram(token, chatOf(text, token) ?? near)));
    if (channels.length >= MAX_CHANNELS) break;
  }
  return distinctChannels(channels).slice(0, MAX_CHANNELS);
}

function toWebhook(url: string): ExfiltrationChannel {
  return { endpoints: [{ protocol: 'https', usage: 'upload', url }], other: { Webhook: url } };
}

/** The chat in the same text: a URL parameter, `token$chat` or `token:chat`. */
function chatOf(text: string, token: string): string | undefined {
  const after = text.slice(text.indexOf(token) + token.length);
  return /^[$|;,: ](-?\d{6,14})(?!\d)/.exec(after)?.[1] ?? chatInUrl(text);
}

function chatInUrl(text: string): string | undefined {
  return CHAT_IN_URL.exec(text.slice(0, MAX_SEARCH_LENGTH))?.[1];
}

function chatNear(texts: readonly string[], index: number): string | undefined {
  const after = texts.slice(index + 1, index + 1 + MAX_CHAT_AFTER);
  const before = texts.slice(Math.max(0, index - MAX_CHAT_BEFORE), index).reverse();
  return [...after, ...before]
    .map((text) => (CHAT_ID.test(text) ? text : chatInUrl(text)))
    .find((chat) => chat !== undefined);
}

/** One channel for each set of endpoints: the one with the most settings, such as a chat. */
export function distinctChannels(channels: readonly ExfiltrationChannel[]): ExfiltrationChannel[] {
  const byUrls = new Map<string, ExfiltrationChannel>();
  for (const channel of channels) {
    const urls = channel.endpoints.map(({ url }) => url).join(' ');
    const known = byUrls.get(urls);
    if (known === undefined || settingCount(channel) > settingCount(known))
      byUrls.set(urls, channel);
  }
  return [...byUrls.values()];
}

function settingCount({ other }: ExfiltrationChannel): number {
  return Object.keys(other).length;
}

/**
 * A test whether other extractors already report a channel. The token or, in a webhook, the URL
 * identifies it.
 */
export function reportedChannels(
  extractions: readonly Extraction[],
): (channel: ExfiltrationChannel) => boolean {
  const reported = extractions
    .flatMap(({ endpoints, other = {} }) => [
      ...endpoints.flatMap(({ url }) => url ?? []),
      ...Object.values(other),
    ])
    .join('\n');
  return ({ endpoints, other }) => {
    const secret = other['Telegram Bot Token'] ?? endpoints[0]?.url;
    return secret !== undefined && reported.includes(secret);
  };
}
