import { type Exfiltration, toDiscord, toTelegram } from './channels.ts';

/**
 * Webhooks and bot tokens in any text. They are somebody's live credentials, in a form that nothing else has:
 *
 *   https://discord.com/api/webhooks/<17 to 20 digits>/<60 to 80 of A-Z a-z 0-9 _ ->
 *   <8 to 10 digits>:AA<33 of A-Z a-z 0-9 _ ->                                        a Telegram bot
 *   https://hooks.slack.com/services/T…/B…/<24 letters and digits>
 *   https://media.guilded.gg/webhooks/<uuid>/<80 to 90 of A-Z a-z 0-9 _ ->
 *
 * Reference: https://discord.com/developers/docs/resources/webhook, https://core.telegram.org/bots/api,
 * https://api.slack.com/messaging/webhooks. None of them is ever contacted.
 */
const DISCORD =
  /https:\/\/(?:\w{1,20}\.)?discord(?:app)?\.com\/api(?:\/v\d{1,2})?\/webhooks\/\d{17,20}\/([\w-]{60,80})(?![\w-])/g;
const TELEGRAM = /(?:(?<=bot)|(?<![\w-]))\d{8,10}:AA[\w-]{33}(?![\w-])/g;
const SLACK =
  /https:\/\/hooks\.slack\.com\/services\/T[A-Z0-9]{8,12}\/B[A-Z0-9]{8,12}\/([A-Za-z0-9]{24})(?![\w-])/g;
const GUILDED =
  /https:\/\/media\.guilded\.gg\/webhooks\/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\/([\w-]{80,90})(?![\w-])/g;
/** Of Telegram's own documentation, and so of everybody who quotes it; one sign too short, but others may stand behind. */
const QUOTED = [
  '110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw',
  '4839574812:AAFD39kkdpWt3ywyRZergyOLMaJhac60qc',
];
/** Examples in documents are rows of the same signs. */
const LEAST_DISTINCT = 9;
const LONGEST_LOOK = 64 * 1024;

/** Quick: whether a closer look at the text is worth it. */
function mayHoldWebhook(text: string): boolean {
  return text.includes('/webhooks/') || text.includes(':AA') || text.includes('hooks.slack.com');
}

function discordWebhooksIn(text: string): string[] {
  return found(text, DISCORD);
}

function otherWebhooksIn(text: string): string[] {
  return [...found(text, SLACK), ...found(text, GUILDED)];
}

function botTokensIn(text: string): string[] {
  const tokens = text.slice(0, LONGEST_LOOK).match(TELEGRAM) ?? [];
  return tokens.filter((token) => !isQuoted(token) && isVaried(token.slice(token.indexOf(':'))));
}

function found(text: string, pattern: RegExp): string[] {
  return [...text.slice(0, LONGEST_LOOK).matchAll(pattern)].flatMap(([url, secret = '']) =>
    isVaried(secret) ? [url] : [],
  );
}

function isQuoted(token: string): boolean {
  return QUOTED.some((quoted) => token.startsWith(quoted));
}

function isVaried(secret: string): boolean {
  return new Set(secret).size >= LEAST_DISTINCT;
}

const CHAT_ID = /^-?\d{6,14}$/;
const CHAT_IN_URL = /chat_id=(-?\d{6,14})/;
/** How far from the token its chat may stand, in texts behind it and before it. */
const NEAR_BEHIND = 8;
const NEAR_BEFORE = 3;
export const MOST_WAYS = 32;

/** What the texts of one list (a function's constants, a program's literals) tell. A chat belongs to a token near it. */
export function waysIn(texts: readonly string[]): Exfiltration[] {
  const ways: Exfiltration[] = [];
  for (const [index, text] of texts.entries()) {
    if (!mayHoldWebhook(text)) continue;
    ways.push(...discordWebhooksIn(text).map(toDiscord), ...otherWebhooksIn(text).map(toWebhook));
    const tokens = botTokensIn(text).slice(0, MOST_WAYS);
    const near = tokens.length === 0 ? undefined : chatNear(texts, index);
    ways.push(...tokens.map((token) => toTelegram(token, chatOf(text, token) ?? near)));
    if (ways.length >= MOST_WAYS) break;
  }
  return distinct(ways).slice(0, MOST_WAYS);
}

function toWebhook(url: string): Exfiltration {
  return { endpoints: [{ protocol: 'https', usage: 'upload', url }], other: { Webhook: url } };
}

/** In the same text: in the URL, or as `token$chat` or `token:chat`. */
function chatOf(text: string, token: string): string | undefined {
  const behind = text.slice(text.indexOf(token) + token.length);
  return /^[$|;,: ](-?\d{6,14})(?!\d)/.exec(behind)?.[1] ?? chatInUrl(text);
}

function chatInUrl(text: string): string | undefined {
  return CHAT_IN_URL.exec(text.slice(0, LONGEST_LOOK))?.[1];
}

function chatNear(texts: readonly string[], index: number): string | undefined {
  const behind = texts.slice(index + 1, index + 1 + NEAR_BEHIND);
  const before = texts.slice(Math.max(0, index - NEAR_BEFORE), index).reverse();
  return [...behind, ...before]
    .map((text) => (CHAT_ID.test(text) ? text : chatInUrl(text)))
    .find((chat) => chat !== undefined);
}

/** The same place twice is once, with the chat if one of them knows it. */
export function distinct(ways: readonly Exfiltration[]): Exfiltration[] {
  const byPlace = new Map<string, Exfiltration>();
  for (const way of ways) {
    const place = way.endpoints.map(({ url }) => url).join(' ');
    const known = byPlace.get(place);
    if (known === undefined || countOf(way) > countOf(known)) byPlace.set(place, way);
  }
  return [...byPlace.values()];
}

function countOf({ other }: Exfiltration): number {
  return Object.keys(other).length;
}
