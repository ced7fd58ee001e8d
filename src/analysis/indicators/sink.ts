import type { IndicatorKind } from '../../domain/samples/analysis.ts';
import type { Findings, TagMeaning } from '../formats/format.ts';
import { isBenignHost, serviceOf } from './hosts.ts';
import { type FoundUrl, isPrivate, isUnroutable, MAX_VALUE_LENGTH, parseQuad } from './url.ts';

export const indicatorTags = {
  DISCORD_WEBHOOK: [5, 'contains the address of a Discord webhook'],
  TELEGRAM_BOT: [5, 'contacts a Telegram bot, or contains the token of one'],
  ENCODED_URL: [5, 'contains an encoded URL: base64, hexadecimal digits or reversed'],
  PASTE_SERVICE: [4, 'refers to a page of a paste service'],
  TUNNEL_SERVICE: [4, 'refers to a host behind a tunnel service'],
  FILE_HOST_DOWNLOAD: [4, 'refers to a file at a public file host'],
  IP_LOOKUP_SERVICE: [4, 'refers to a service that returns the public IP address'],
  ONION_ADDRESS: [4, 'refers to a hidden service'],
  IP_URL: [4, 'contains a URL whose host is a public IPv4 address'],
  CRYPTO_WALLET: [4, 'contains a cryptocurrency address'],
  DYNAMIC_DNS: [3, 'refers to a host at a dynamic DNS service'],
  DEAD_DROP_PROFILE: [3, 'refers to a public profile, as dead drops use'],
  HARDCODED_ADDRESS: [3, 'contains a public IPv4 address with a port'],
  SMTP_SERVER: [3, 'refers to a mail server'],
  USER_AGENT: [2, 'contains the user agent of a browser'],
} as const satisfies Readonly<Record<string, TagMeaning>>;

export type IndicatorTag = keyof typeof indicatorTags;

/**
 * Harmless links, accidental or planted, must not crowd out the important indicators, so those with
 * a tag have a limit of their own.
 */
const MAX_PLAIN = 120;
const MAX_TAGGED = 80;
/** Parsing a candidate takes microseconds; a file of nothing but candidates would take minutes. */
const MAX_CANDIDATES = 10_000;

/** Kinds of candidates, counted separately so that one kind does not hide the others. */
export type Candidate = 'url' | 'address' | 'host' | 'email' | 'token' | 'wallet' | 'encoded';

const BOT_TOKEN = /bot(\d{6,12}:[A-Za-z0-9_-]{30,40})/;
const CHAT_ID = /chat_id=(-?\d{5,16})/;

/**
 * Filters and classifies indicators: drops harmless and known ones, adds tags, applies the limits.
 */
export class IndicatorSink {
  readonly #findings: Findings<IndicatorTag>;
  readonly #known = new Set<string>();
  readonly #tagged = new Set<IndicatorTag>();
  readonly #limits = new Set<string>();
  #plainCount = 0;
  #taggedCount = 0;
  readonly #candidates = { url: 0, address: 0, host: 0, email: 0, token: 0, wallet: 0, encoded: 0 };

  constructor(findings: Findings<IndicatorTag>) {
    this.#findings = findings;
  }

  /** Whether one more candidate may be parsed. */
  mayParse(kind: Candidate): boolean {
    this.#candidates[kind] += 1;
    if (this.#candidates[kind] <= MAX_CANDIDATES) return true;
    if (this.#candidates[kind] === MAX_CANDIDATES + 1) {
      this.#limit(`indicators: more than ${MAX_CANDIDATES} candidates for ${kind}`);
    }
    return false;
  }

  isExhausted(kind: Candidate): boolean {
    return this.#candidates[kind] > MAX_CANDIDATES;
  }

  hasTag(tag: IndicatorTag): boolean {
    return this.#tagged.has(tag);
  }

  /** Only the first occurrence is evidence; the others are in the indicators. */
  tag(tag: IndicatorTag, offset: number, note?: string): void {
    if (this.#tagged.has(tag)) return;
    this.#tagged.add(tag);
    this.#findings.tag(tag, note === undefined ? { offset } : { offset, note });
  }

  add(kind: IndicatorKind, value: string, offset: number): void {
    if (!this.#isNew(kind, value)) return;
    if (this.#plainCount < MAX_PLAIN) this.#store(kind, value, offset);
    else this.#limit(`indicators: more than ${MAX_PLAIN}`);
    this.#plainCount += 1;
  }

  /** The note names the host, never the credential. */
  addTagged(kind: IndicatorKind, value: string, found: TaggedFinding): void {
    this.tag(found.tag, found.offset, found.note);
    if (!this.#isNew(kind, value)) return;
    if (this.#taggedCount < MAX_TAGGED) this.#store(kind, value, found.offset);
    else this.#limit(`indicators: more than ${MAX_TAGGED} that come with a tag`);
    this.#taggedCount += 1;
  }

  url(url: FoundUrl, offset: number): void {
    if (isBenignHost(url.host)) return;
    const quad = parseQuad(url.host);
    if (quad !== undefined) this.#quadUrl(quad, url, offset);
    else if (!this.service(url, offset)) this.add('url', url.text, offset);
  }

  /** `false` if the host belongs to no known service. The scheme may be missing. */
  service({ text, host, path }: FoundUrl, offset: number): boolean {
    const tag = serviceOf(host, path);
    if (tag === undefined) return false;
    const found = { tag, offset, note: host };
    if (tag === 'TELEGRAM_BOT') this.#telegram(text, found);
    if (tag === 'DISCORD_WEBHOOK') this.addTagged('discord-webhook', text, found);
    else if (tag === 'ONION_ADDRESS') this.addTagged('onion', text, found);
    else this.addTagged(text === host ? 'host' : 'url', text, found);
    return true;
  }

  #telegram(text: string, found: TaggedFinding): void {
    const token = BOT_TOKEN.exec(text)?.[1];
    if (token !== undefined) this.addTagged('telegram-token', token, found);
    const chat = CHAT_ID.exec(text)?.[1];
    if (chat !== undefined) this.addTagged('telegram-chat', chat, found);
  }

  #quadUrl(quad: readonly number[], url: FoundUrl, offset: number): void {
    if (isUnroutable(quad)) return;
    if (isPrivate(quad)) this.add('url', url.text, offset);
    else this.addTagged('url', url.text, { tag: 'IP_URL', offset, note: url.host });
  }

  #isNew(kind: IndicatorKind, value: string): boolean {
    return !this.#known.has(`${kind} ${value}`);
  }

  #store(kind: IndicatorKind, value: string, offset: number): void {
    const cut = value.slice(0, MAX_VALUE_LENGTH);
    this.#known.add(`${kind} ${cut}`);
    this.#findings.indicator(kind, cut, offset);
  }

  #limit(note: string): void {
    if (this.#limits.has(note)) return;
    this.#limits.add(note);
    this.#findings.limit(note);
  }
}

export interface TaggedFinding {
  readonly tag: IndicatorTag;
  readonly offset: number;
  readonly note?: string;
}
