import { endOfBase64, mayBeWrapped, unwrapBase64, unwrapHex, unwrapReversed } from './encoded.ts';
import { isBenignHost, isLikelyHost, SERVICE_ENDINGS, serviceOf } from './hosts.ts';
import type { IndicatorSink } from './sink.ts';
import {
  endOfUrl,
  isNowhere,
  isPrivate,
  lettersBeforeScheme,
  MAX_VALUE_LENGTH,
  parseHost,
  parseQuad,
  parseUrl,
  SCHEME_WINDOW,
  URL_BYTES,
  withoutTrailing,
} from './url.ts';
import {
  hasChecksum,
  isEthereumShaped,
  isWalletShaped,
  MAX_WALLET_LENGTH,
  MIN_WALLET_LENGTH,
} from './wallets.ts';

/** How places in the text become offsets in the file. */
interface Place {
  readonly origin: number;
  readonly step: 1 | 2;
}

/** 1 for the signs, of a class such as `[a-z]`. */
function bytesOf(signs: RegExp): Uint8Array {
  return Uint8Array.from({ length: 256 }, (_, byte) =>
    signs.test(String.fromCharCode(byte)) ? 1 : 0,
  );
}

const WORD_BYTES = bytesOf(/[A-Za-z0-9]/);
const LETTER_BYTES = bytesOf(/[A-Za-z]/);
const DIGIT_BYTES = bytesOf(/[0-9]/);
const HOST_BYTES = bytesOf(/[A-Za-z0-9._-]/);
const LOCAL_BYTES = bytesOf(/[A-Za-z0-9._%+-]/);

const [COLON, DOT, AT_SIGN, EQUALS, LETTER_H, LETTER_Z] = [0x3a, 0x2e, 0x40, 0x3d, 0x48, 0x7a];
/** Each thing that we look for has one of these in it, and they are rare in all other text. */
const ANCHORS = bytesOf(/[:.@=Hz]/);

/** The first two letters of what may follow a dot in the name of a service, as one number. */
const ENDING_PAIRS = new Uint8Array(0x10000);
for (const ending of SERVICE_ENDINGS) {
  ENDING_PAIRS[(ending.charCodeAt(0) << 8) | ending.charCodeAt(1)] = 1;
}

const MAX_ENDING_LENGTH = 6;

const WALLET_STARTS = bytesOf(/[13LMDTXbl0]/);
/** Words that make forty hexadecimal digits an address. */
const MONEY = /eth|wallet|usdt|erc-?20|metamask|coin|crypto/i;
const MONEY_WINDOW = 64;

const BOT_TOKEN = /^\d{8,11}:AA[A-Za-z0-9_-]{33}$/;
const BOT_TOKEN_TAIL = 35;
const MAX_HOST_LENGTH = 253;
const MAX_LOCAL_LENGTH = 64;
const MIN_PORT = 20;
const MAX_PORT = 65_535;
const MAX_USER_AGENT = 200;

/**
 * Looks through runs of text for the few signs that stand in everything we want to find, and only there takes
 * a closer look. Each closer look is bounded, and what it took in is not gone through again by the same kind.
 */
export class AnchorScan {
  readonly #bytes: Buffer;
  readonly #sink: IndicatorSink;
  readonly #place: Place;
  #start = 0;
  #end = 0;
  /** Up to here names of hosts, base64 and reversed URLs were looked at already. */
  #hostsUntil = 0;
  #base64Until = 0;
  #reversedUntil = 0;

  constructor(bytes: Buffer, sink: IndicatorSink, place: Place) {
    this.#bytes = bytes;
    this.#sink = sink;
    this.#place = place;
  }

  scan(start: number, end: number): void {
    this.#start = start;
    this.#end = end;
    visitAnchors(this, this.#bytes, start, end);
    if (end - start >= MIN_WALLET_LENGTH) visitLongWords(this, this.#bytes, start, end);
    this.#bareQuad();
  }

  /** Looks more closely at an anchor; gives where to go on. */
  anchor(at: number): number {
    const sign = this.#bytes[at];
    if (sign === COLON) return this.#colon(at);
    if (sign === DOT) this.#dot(at);
    else if (sign === LETTER_H) this.#base64(at);
    else if (sign === AT_SIGN) this.#email(at);
    else if (sign === EQUALS) this.#chat(at);
    else if (sign === LETTER_Z) this.#userAgent(at);
    return at + 1;
  }

  /** Letters and digits, long enough for a wallet, with something else on both sides. */
  longWord(start: number, end: number): void {
    if (end - start <= MAX_WALLET_LENGTH) this.#wallet(start, end);
    if (this.#isText(start, '68747470')) this.#hex(start, end);
  }

  #colon(at: number): number {
    const bytes = this.#bytes;
    const next = at + 1 < this.#end ? (bytes[at + 1] as number) : 0;
    if (next === 0x2f) return bytes[at + 2] === 0x2f ? this.#url(at) : at + 1;
    if (DIGIT_BYTES[next] === 1) this.#port(at);
    else if (next === 0x41) this.#botToken(at);
    else if (next === 0x70) this.#reversed(at, '//:ptth');
    else if (next === 0x73) this.#reversed(at, '//:sptth');
    return at + 1;
  }

  #url(colon: number): number {
    const word = this.#backOver(colon, SCHEME_WINDOW, LETTER_BYTES);
    if (word === colon || !this.#sink.mayLook('url')) return colon + 3;
    const skip = lettersBeforeScheme(this.#text(word, colon));
    if (skip === undefined) return colon + 3;
    const start = word + skip;
    const end = endOfUrl(this.#bytes, start, this.#end);
    const url = parseUrl(this.#text(start, end));
    if (url === undefined) return colon + 3;
    this.#sink.url(url, this.#offset(start));
    return end;
  }

  #port(colon: number): void {
    if (this.#sink.isSpent('address')) return;
    const start = this.#backOver(colon, MAX_HOST_LENGTH, HOST_BYTES);
    const dot = this.#bytes.lastIndexOf(DOT, colon);
    if (colon - start < 6 || dot < start || !this.#sink.mayLook('address')) return;
    const end = this.#onOver(colon + 1, 6, DIGIT_BYTES);
    const port = Number(this.#text(colon + 1, end));
    if (port < MIN_PORT || port > MAX_PORT || this.#isWordAt(end)) return;
    const host = parseHost(this.#text(start, colon));
    if (host !== undefined) this.#address(host, port, this.#offset(start));
  }

  #address(host: string, port: number, offset: number): void {
    const value = `${host}:${port}`;
    const quad = parseQuad(host);
    if (quad === undefined) {
      const tag = serviceOf(host, '');
      if (tag !== undefined) this.#sink.keepTelling('address', value, { tag, offset, note: host });
      else if (isLikelyHost(host) && !isBenignHost(host)) this.#sink.keep('address', value, offset);
      return;
    }
    if (isNowhere(quad)) return;
    if (isPrivate(quad)) this.#sink.keep('address', value, offset);
    else this.#sink.keepTelling('address', value, { tag: 'HARDCODED_ADDRESS', offset });
  }

  #botToken(colon: number): void {
    const start = this.#backOver(colon, 12, DIGIT_BYTES);
    const end = colon + 1 + BOT_TOKEN_TAIL;
    if (colon - start < 8 || end > this.#end || this.#isWordAt(end)) return;
    if (!this.#sink.mayLook('token')) return;
    const token = this.#text(start, end);
    if (!BOT_TOKEN.test(token)) return;
    const offset = this.#offset(start);
    this.#sink.keepTelling('telegram-token', token, { tag: 'TELEGRAM_BOT', offset });
  }

  #reversed(colon: number, scheme: string): void {
    if (!this.#isText(colon - 2, scheme) || !this.#sink.mayLook('encoded')) return;
    const end = colon - 2 + scheme.length;
    const most = Math.min(MAX_VALUE_LENGTH, colon - this.#reversedUntil);
    const start = this.#backOver(colon, most, URL_BYTES);
    this.#reversedUntil = end;
    const url = unwrapReversed(this.#text(start, end));
    if (url === undefined) return;
    this.#sink.tag('ENCODED_URL', this.#offset(start), 'written backwards');
    this.#sink.url(url, this.#offset(start));
  }

  #dot(at: number): void {
    const bytes = this.#bytes;
    if (at < this.#hostsUntil || at + 2 >= this.#end || this.#sink.isSpent('host')) return;
    const pair = (((bytes[at + 1] as number) | 0x20) << 8) | (bytes[at + 2] as number) | 0x20;
    const isServer = bytes[at - 1] === 0x70 && this.#isText(at - 4, 'smtp');
    if (!isServer && (ENDING_PAIRS[pair] !== 1 || !this.#isEnding(at + 1))) return;
    if (this.#sink.mayLook('host')) this.#bareHost(at);
  }

  /** Whether a name may end with the label that begins here. */
  #isEnding(at: number): boolean {
    const end = this.#onOver(at, MAX_ENDING_LENGTH + 1, LETTER_BYTES);
    if (end - at > MAX_ENDING_LENGTH || this.#isWordAt(end)) return false;
    return SERVICE_ENDINGS.has(this.#text(at, end).toLowerCase());
  }

  /** A service that is named without a scheme before it. */
  #bareHost(dot: number): void {
    const start = this.#backOver(dot, MAX_HOST_LENGTH, HOST_BYTES);
    const end = this.#onOver(dot, MAX_HOST_LENGTH, HOST_BYTES);
    this.#hostsUntil = end;
    if (this.#bytes[end] === COLON && DIGIT_BYTES[this.#bytes[end + 1] ?? 0] === 1) return;
    const host = parseHost(withoutTrailing(this.#text(start, end), '.'));
    if (host === undefined) return;
    const offset = this.#offset(start);
    const path = this.#bytes[end] === 0x2f ? this.#text(end, this.#endOfPath(end)) : '';
    const text = path.length > 1 ? host + path : host;
    if (this.#sink.service({ text, scheme: '', host, path }, offset)) return;
    if (host.startsWith('smtp.') && isLikelyHost(host) && !isBenignHost(host)) {
      this.#sink.keepTelling('host', host, { tag: 'SMTP_SERVER', offset, note: host });
    }
  }

  #endOfPath(from: number): number {
    return endOfUrl(this.#bytes, from, this.#end);
  }

  /** Low precision by nature: no tag, and names that are too short to be believed are left out. */
  #email(at: number): void {
    if (this.#sink.isSpent('email')) return;
    const start = this.#backOver(at, MAX_LOCAL_LENGTH, LOCAL_BYTES);
    if (at - start < 3) return;
    const end = this.#onOver(at + 1, MAX_HOST_LENGTH, HOST_BYTES);
    if (end - at < 7 || !this.#sink.mayLook('email')) return;
    const host = parseHost(withoutTrailing(this.#text(at + 1, end), '.-'));
    if (host === undefined || !isLikelyHost(host) || isBenignHost(host)) return;
    this.#sink.keep('email', `${this.#text(start, at)}@${host}`, this.#offset(start));
  }

  #chat(at: number): void {
    if (this.#bytes[at - 1] !== 0x64 || !this.#isText(at - 7, 'chat_id')) return;
    if (!this.#sink.mayLook('token')) return;
    const match = /^-?\d{5,16}/.exec(this.#text(at + 1, Math.min(at + 18, this.#end)));
    if (match === null) return;
    const offset = this.#offset(at + 1);
    this.#sink.keepTelling('telegram-chat', match[0], { tag: 'TELEGRAM_BOT', offset });
  }

  #userAgent(at: number): void {
    const start = at - 2;
    if (this.#bytes[start] !== 0x4d || this.#sink.hasTag('USER_AGENT')) return;
    if (!this.#isText(start, 'Mozilla/5.0 (') && !this.#isText(start, 'Mozilla/4.0 (')) return;
    const note = this.#text(start, Math.min(start + MAX_USER_AGENT, this.#end));
    this.#sink.tag('USER_AGENT', this.#offset(start), note);
  }

  #wallet(start: number, end: number): void {
    if (WALLET_STARTS[this.#bytes[start] as number] !== 1 || this.#sink.isSpent('wallet')) return;
    const token = this.#text(start, end);
    if (!isWalletShaped(token) || !this.#sink.mayLook('wallet')) return;
    if (isEthereumShaped(token) ? this.#speaksOfMoney(start, end) : hasChecksum(token)) {
      const offset = this.#offset(start);
      this.#sink.keepTelling('wallet', token, { tag: 'CRYPTO_WALLET', offset });
    }
  }

  /** Forty digits alone may be any hash: they need another wallet, or words, near them. */
  #speaksOfMoney(start: number, end: number): boolean {
    if (this.#sink.hasTag('CRYPTO_WALLET')) return true;
    const before = this.#text(Math.max(this.#start, start - MONEY_WINDOW), start);
    return MONEY.test(before + this.#text(end, Math.min(this.#end, end + MONEY_WINDOW)));
  }

  #base64(at: number): void {
    if (at < this.#base64Until || !mayBeWrapped(this.#bytes, at)) return;
    if (!this.#sink.mayLook('encoded')) return;
    const end = endOfBase64(this.#bytes, at, this.#end);
    const found = unwrapBase64(this.#bytes, at, end);
    if (found === undefined) return;
    this.#base64Until = end;
    this.#sink.tag('ENCODED_URL', this.#offset(found.start), 'in base64');
    this.#sink.url(found.url, this.#offset(found.start));
  }

  #hex(start: number, end: number): void {
    if (!this.#sink.mayLook('encoded')) return;
    const url = unwrapHex(this.#text(start, Math.min(end, start + 2 * MAX_VALUE_LENGTH)));
    if (url === undefined) return;
    this.#sink.tag('ENCODED_URL', this.#offset(start), 'in hexadecimal digits');
    this.#sink.url(url, this.#offset(start));
  }

  /** A string that is nothing but an IPv4 address. Most of that shape are versions: those have small numbers. */
  #bareQuad(): void {
    const length = this.#end - this.#start;
    if (length > 15 || length < 7 || DIGIT_BYTES[this.#bytes[this.#start] as number] !== 1) return;
    const text = this.#text(this.#start, this.#end);
    const quad = parseQuad(text);
    if (quad === undefined || isNowhere(quad) || isPrivate(quad)) return;
    if (quad.filter((number) => number >= 20).length < 2 || (quad[0] ?? 0) < 20) return;
    this.#sink.keep('host', text, this.#offset(this.#start));
  }

  #offset(at: number): number {
    return this.#place.origin + at * this.#place.step;
  }

  #text(start: number, end: number): string {
    return this.#bytes.toString('latin1', start, end);
  }

  #isText(start: number, text: string): boolean {
    if (start < this.#start || start + text.length > this.#end) return false;
    for (let place = 0; place < text.length; place += 1) {
      if (this.#bytes[start + place] !== text.charCodeAt(place)) return false;
    }
    return true;
  }

  #isWordAt(at: number): boolean {
    return at < this.#end && WORD_BYTES[this.#bytes[at] as number] === 1;
  }

  #backOver(from: number, most: number, kind: Uint8Array): number {
    const least = Math.max(this.#start, from - most);
    let at = from;
    while (at > least && kind[this.#bytes[at - 1] as number] === 1) at -= 1;
    return at;
  }

  #onOver(from: number, most: number, kind: Uint8Array): number {
    const limit = Math.min(this.#end, from + most);
    let at = from;
    while (at < limit && kind[this.#bytes[at] as number] === 1) at += 1;
    return at;
  }
}

/** The hot loop: nearly all bytes are no anchor. */
function visitAnchors(scan: AnchorScan, bytes: Buffer, start: number, end: number): void {
  let at = start;
  while (at < end) {
    if (ANCHORS[bytes[at] as number] === 0) at += 1;
    else at = scan.anchor(at);
  }
}

/** A word that is long enough covers the place that many bytes on, so that few bytes are looked at. */
function visitLongWords(scan: AnchorScan, bytes: Buffer, start: number, end: number): void {
  let at = start;
  while (at + MIN_WALLET_LENGTH <= end) {
    let first = at + MIN_WALLET_LENGTH;
    while (first > at && WORD_BYTES[bytes[first - 1] as number] === 1) first -= 1;
    if (first > at) {
      at = first;
      continue;
    }
    let last = at + MIN_WALLET_LENGTH;
    while (last < end && WORD_BYTES[bytes[last] as number] === 1) last += 1;
    scan.longWord(at, last);
    at = last;
  }
}
