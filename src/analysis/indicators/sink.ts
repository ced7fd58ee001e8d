import type { IndicatorKind } from '../../domain/samples/analysis.ts';
import type { Findings, TagMeaning } from '../formats/format.ts';
import { isBenignHost, serviceOf } from './hosts.ts';
import { type FoundUrl, isNowhere, isPrivate, MAX_VALUE_LENGTH, parseQuad } from './url.ts';

export const indicatorTags = {
  DISCORD_WEBHOOK: [5, 'holds the address of a Discord webhook'],
  TELEGRAM_BOT: [5, 'talks to a Telegram bot, or holds the token of one'],
  ENCODED_URL: [5, 'hides a URL: in base64, in hexadecimal digits or written backwards'],
  PASTE_SERVICE: [4, 'names a page of a paste service'],
  TUNNEL_SERVICE: [4, 'names a host behind a tunnel service'],
  FILE_HOST_DOWNLOAD: [4, 'names a file at a public file host'],
  IP_LOOKUP_SERVICE: [4, 'asks a service for its own public address'],
  ONION_ADDRESS: [4, 'names a hidden service'],
  IP_URL: [4, 'holds a URL whose host is a public IPv4 address'],
  CRYPTO_WALLET: [4, 'holds a cryptocurrency address'],
  DYNAMIC_DNS: [3, 'names a host at a dynamic DNS service'],
  DEAD_DROP_PROFILE: [3, 'names a public profile, as dead drops are kept in'],
  HARDCODED_ADDRESS: [3, 'holds a public IPv4 address with a port'],
  SMTP_SERVER: [3, 'names a server that sends mail'],
  USER_AGENT: [2, 'holds the name of a browser, as programs that pose as one do'],
} as const satisfies Readonly<Record<string, TagMeaning>>;

export type IndicatorTag = keyof typeof indicatorTags;

/**
 * Harmless links must not crowd out what matters, be it by chance or by somebody's design: what comes with a
 * tag has room of its own.
 */
const MAX_PLAIN = 120;
const MAX_TELLING = 80;
/** Each look at a candidate costs some microseconds; a file made of nothing else would take minutes. */
const MAX_LOOKS = 10_000;

/** What is looked for, so that a file full of one kind does not hide the others. */
export type Candidate = 'url' | 'address' | 'host' | 'email' | 'token' | 'wallet' | 'encoded';

const BOT_TOKEN = /bot(\d{6,12}:[A-Za-z0-9_-]{30,40})/;
const CHAT_ID = /chat_id=(-?\d{5,16})/;

/** Sorts what was found: drops the harmless and the known, gives tags, keeps to the limits. */
export class IndicatorSink {
  readonly #findings: Findings<IndicatorTag>;
  readonly #kept = new Set<string>();
  readonly #tagged = new Set<IndicatorTag>();
  readonly #limits = new Set<string>();
  #plain = 0;
  #telling = 0;
  readonly #looks = { url: 0, address: 0, host: 0, email: 0, token: 0, wallet: 0, encoded: 0 };

  constructor(findings: Findings<IndicatorTag>) {
    this.#findings = findings;
  }

  /** Whether one more candidate may be looked at. */
  mayLook(kind: Candidate): boolean {
    this.#looks[kind] += 1;
    if (this.#looks[kind] <= MAX_LOOKS) return true;
    if (this.#looks[kind] === MAX_LOOKS + 1) {
      this.#limit(`indicators: more than ${MAX_LOOKS} candidates for ${kind}`);
    }
    return false;
  }

  isSpent(kind: Candidate): boolean {
    return this.#looks[kind] > MAX_LOOKS;
  }

  hasTag(tag: IndicatorTag): boolean {
    return this.#tagged.has(tag);
  }

  /** Only the first place is told: the rest is in the indicators. */
  tag(tag: IndicatorTag, offset: number, note?: string): void {
    if (this.#tagged.has(tag)) return;
    this.#tagged.add(tag);
    this.#findings.tag(tag, note === undefined ? { offset } : { offset, note });
  }

  keep(kind: IndicatorKind, value: string, offset: number): void {
    if (!this.#isNew(kind, value)) return;
    if (this.#plain < MAX_PLAIN) this.#add(kind, value, offset);
    else this.#limit(`indicators: more than ${MAX_PLAIN}`);
    this.#plain += 1;
  }

  /** The note says where it points to, never the credential itself. */
  keepTelling(kind: IndicatorKind, value: string, found: TellingPlace): void {
    this.tag(found.tag, found.offset, found.note);
    if (!this.#isNew(kind, value)) return;
    if (this.#telling < MAX_TELLING) this.#add(kind, value, found.offset);
    else this.#limit(`indicators: more than ${MAX_TELLING} that come with a tag`);
    this.#telling += 1;
  }

  url(url: FoundUrl, offset: number): void {
    if (isBenignHost(url.host)) return;
    const quad = parseQuad(url.host);
    if (quad !== undefined) this.#quadUrl(quad, url, offset);
    else if (!this.service(url, offset)) this.keep('url', url.text, offset);
  }

  /** `false` where the host is of no service that we know. The scheme may be missing. */
  service({ text, host, path }: FoundUrl, offset: number): boolean {
    const tag = serviceOf(host, path);
    if (tag === undefined) return false;
    const found = { tag, offset, note: host };
    if (tag === 'TELEGRAM_BOT') this.#telegram(text, found);
    if (tag === 'DISCORD_WEBHOOK') this.keepTelling('discord-webhook', text, found);
    else if (tag === 'ONION_ADDRESS') this.keepTelling('onion', text, found);
    else this.keepTelling(text === host ? 'host' : 'url', text, found);
    return true;
  }

  #telegram(text: string, found: TellingPlace): void {
    const token = BOT_TOKEN.exec(text)?.[1];
    if (token !== undefined) this.keepTelling('telegram-token', token, found);
    const chat = CHAT_ID.exec(text)?.[1];
    if (chat !== undefined) this.keepTelling('telegram-chat', chat, found);
  }

  #quadUrl(quad: readonly number[], url: FoundUrl, offset: number): void {
    if (isNowhere(quad)) return;
    if (isPrivate(quad)) this.keep('url', url.text, offset);
    else this.keepTelling('url', url.text, { tag: 'IP_URL', offset, note: url.host });
  }

  #isNew(kind: IndicatorKind, value: string): boolean {
    return !this.#kept.has(`${kind} ${value}`);
  }

  #add(kind: IndicatorKind, value: string, offset: number): void {
    const cut = value.slice(0, MAX_VALUE_LENGTH);
    this.#kept.add(`${kind} ${cut}`);
    this.#findings.indicator(kind, cut, offset);
  }

  #limit(what: string): void {
    if (this.#limits.has(what)) return;
    this.#limits.add(what);
    this.#findings.limit(what);
  }
}

export interface TellingPlace {
  readonly tag: IndicatorTag;
  readonly offset: number;
  readonly note?: string;
}
