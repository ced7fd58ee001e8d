import {
  decodeBase64Url,
  decodeHexUrl,
  decodeReversedUrl,
  endOfBase64,
  mayBeBase64Url,
} from './encoded.ts';
import { isBenignHost, isLikelyHost, SERVICE_ENDINGS, serviceOf } from './hosts.ts';
import type { IndicatorSink } from './sink.ts';
import {
  bytesOf,
  DIGIT_BYTES,
  HOST_BYTES,
  LETTER_BYTES,
  LOCAL_BYTES,
  type OffsetMapping,
  TextWindow,
  WORD_BYTES,
} from './text-window.ts';
import {
  type AnchorContext,
  findBotToken,
  findChatId,
  findUserAgent,
  findWallet,
} from './tokens.ts';
import {
  endOfUrl,
  isPrivate,
  isUnroutable,
  lettersBeforeScheme,
  MAX_VALUE_LENGTH,
  parseHost,
  parseQuad,
  parseUrl,
  SCHEME_WINDOW,
  URL_BYTES,
  withoutTrailing,
} from './url.ts';
import { MAX_WALLET_LENGTH, MIN_WALLET_LENGTH } from './wallets.ts';

const [COLON, DOT, AT_SIGN, EQUALS, LETTER_H, LETTER_Z] = [0x3a, 0x2e, 0x40, 0x3d, 0x48, 0x7a];
/** Every kind of indicator contains one of these, and they are rare in other text. */
const ANCHORS = bytesOf(/[:.@=Hz]/);

/** The first two letters of the top-level domains of services, as one number. */
const ENDING_PAIRS = new Uint8Array(0x10000);
for (const ending of SERVICE_ENDINGS) {
  ENDING_PAIRS[(ending.charCodeAt(0) << 8) | ending.charCodeAt(1)] = 1;
}

const MAX_ENDING_LENGTH = 6;
const MAX_HOST_LENGTH = 253;
const MAX_LOCAL_LENGTH = 64;
const MIN_PORT = 20;
const MAX_PORT = 65_535;

/**
 * Scans runs of text for the few characters that every indicator contains, and parses only around
 * those. Each parse is bounded, and no kind of parse covers the same bytes twice.
 */
export class AnchorScan {
  readonly #bytes: Buffer;
  readonly #sink: IndicatorSink;
  readonly #window: TextWindow;
  readonly #context: AnchorContext;
  /** Offsets up to which host names, base64 and reversed URLs have been parsed. */
  #hostsUntil = 0;
  #base64Until = 0;
  #reversedUntil = 0;

  constructor(bytes: Buffer, sink: IndicatorSink, mapping: OffsetMapping) {
    this.#bytes = bytes;
    this.#window = new TextWindow(bytes, mapping);
    this.#sink = sink;
    this.#context = { window: this.#window, sink };
  }

  scan(start: number, end: number): void {
    this.#window.start = start;
    this.#window.end = end;
    visitAnchors(this, this.#bytes, start, end);
    if (end - start >= MIN_WALLET_LENGTH) visitLongWords(this, this.#bytes, start, end);
    this.#bareQuad();
  }

  /** Parses around an anchor; returns the offset at which the scan continues. */
  anchor(at: number): number {
    const character = this.#bytes[at];
    if (character === COLON) return this.#colon(at);
    if (character === DOT) this.#dot(at);
    else if (character === LETTER_H) this.#base64(at);
    else if (character === AT_SIGN) this.#email(at);
    else if (character === EQUALS) findChatId(this.#context, at);
    else if (character === LETTER_Z) findUserAgent(this.#context, at);
    return at + 1;
  }

  /** A word of letters and digits that is long enough for a wallet. */
  longWord(start: number, end: number): void {
    if (end - start <= MAX_WALLET_LENGTH) findWallet(this.#context, start, end);
    if (this.#window.isText(start, '68747470')) this.#hex(start, end);
  }

  #colon(at: number): number {
    const bytes = this.#bytes;
    const next = at + 1 < this.#window.end ? (bytes[at + 1] as number) : 0;
    if (next === 0x2f) return bytes[at + 2] === 0x2f ? this.#url(at) : at + 1;
    if (DIGIT_BYTES[next] === 1) this.#port(at);
    else if (next === 0x41) findBotToken(this.#context, at);
    else if (next === 0x70) this.#reversed(at, '//:ptth');
    else if (next === 0x73) this.#reversed(at, '//:sptth');
    return at + 1;
  }

  #url(colon: number): number {
    const word = this.#window.skipBack(colon, SCHEME_WINDOW, LETTER_BYTES);
    if (word === colon || !this.#sink.mayParse('url')) return colon + 3;
    const skip = lettersBeforeScheme(this.#window.text(word, colon));
    if (skip === undefined) return colon + 3;
    const start = word + skip;
    const end = endOfUrl(this.#bytes, start, this.#window.end);
    const url = parseUrl(this.#window.text(start, end));
    if (url === undefined) return colon + 3;
    this.#sink.url(url, this.#window.offset(start));
    return end;
  }

  #port(colon: number): void {
    if (this.#sink.isExhausted('address')) return;
    const start = this.#window.skipBack(colon, MAX_HOST_LENGTH, HOST_BYTES);
    if (colon - start < 6 || !this.#window.hasByte(start, colon, DOT)) return;
    if (!this.#sink.mayParse('address')) return;
    const end = this.#window.skipForward(colon + 1, 6, DIGIT_BYTES);
    const port = Number(this.#window.text(colon + 1, end));
    if (port < MIN_PORT || port > MAX_PORT || this.#window.isWordAt(end)) return;
    const host = parseHost(this.#window.text(start, colon));
    if (host !== undefined) this.#address(host, port, this.#window.offset(start));
  }

  #address(host: string, port: number, offset: number): void {
    const value = `${host}:${port}`;
    const quad = parseQuad(host);
    if (quad === undefined) {
      const tag = serviceOf(host, '');
      if (tag !== undefined) this.#sink.addTagged('address', value, { tag, offset, note: host });
      else if (isLikelyHost(host) && !isBenignHost(host)) this.#sink.add('address', value, offset);
      return;
    }
    if (isUnroutable(quad)) return;
    if (isPrivate(quad)) this.#sink.add('address', value, offset);
    else this.#sink.addTagged('address', value, { tag: 'HARDCODED_ADDRESS', offset });
  }

  #reversed(colon: number, scheme: string): void {
    if (!this.#window.isText(colon - 2, scheme) || !this.#sink.mayParse('encoded')) return;
    const end = colon - 2 + scheme.length;
    const maxLength = Math.min(MAX_VALUE_LENGTH, colon - this.#reversedUntil);
    const start = this.#window.skipBack(colon, maxLength, URL_BYTES);
    this.#reversedUntil = end;
    const url = decodeReversedUrl(this.#window.text(start, end));
    if (url === undefined) return;
    this.#sink.tag('ENCODED_URL', this.#window.offset(start), 'written backwards');
    this.#sink.url(url, this.#window.offset(start));
  }

  #dot(at: number): void {
    const bytes = this.#bytes;
    if (at < this.#hostsUntil || at + 2 >= this.#window.end || this.#sink.isExhausted('host'))
      return;
    const pair = (((bytes[at + 1] as number) | 0x20) << 8) | (bytes[at + 2] as number) | 0x20;
    const isServer = bytes[at - 1] === 0x70 && this.#window.isText(at - 4, 'smtp');
    if (!isServer && (ENDING_PAIRS[pair] !== 1 || !this.#isEnding(at + 1))) return;
    if (this.#sink.mayParse('host')) this.#bareHost(at);
  }

  /** Whether the label at this offset is the top-level domain of a service. */
  #isEnding(at: number): boolean {
    const end = this.#window.skipForward(at, MAX_ENDING_LENGTH + 1, LETTER_BYTES);
    if (end - at > MAX_ENDING_LENGTH || this.#window.isWordAt(end)) return false;
    return SERVICE_ENDINGS.has(this.#window.text(at, end).toLowerCase());
  }

  /** The host of a service without a scheme. */
  #bareHost(dot: number): void {
    const start = this.#window.skipBack(dot, MAX_HOST_LENGTH, HOST_BYTES);
    const end = this.#window.skipForward(dot, MAX_HOST_LENGTH, HOST_BYTES);
    this.#hostsUntil = end;
    if (this.#bytes[end] === COLON && DIGIT_BYTES[this.#bytes[end + 1] ?? 0] === 1) return;
    const host = parseHost(withoutTrailing(this.#window.text(start, end), '.'));
    if (host === undefined) return;
    const offset = this.#window.offset(start);
    const path = this.#bytes[end] === 0x2f ? this.#window.text(end, this.#endOfPath(end)) : '';
    const text = path.length > 1 ? host + path : host;
    if (this.#sink.service({ text, scheme: '', host, path }, offset)) return;
    if (host.startsWith('smtp.') && isLikelyHost(host) && !isBenignHost(host)) {
      this.#sink.addTagged('host', host, { tag: 'SMTP_SERVER', offset, note: host });
    }
  }

  #endOfPath(from: number): number {
    return endOfUrl(this.#bytes, from, this.#window.end);
  }

  /** E-mail addresses have low precision: no tag, and short local parts are dropped. */
  #email(at: number): void {
    if (this.#sink.isExhausted('email')) return;
    const start = this.#window.skipBack(at, MAX_LOCAL_LENGTH, LOCAL_BYTES);
    if (at - start < 3) return;
    const end = this.#window.skipForward(at + 1, MAX_HOST_LENGTH, HOST_BYTES);
    if (end - at < 7 || !this.#sink.mayParse('email')) return;
    const host = parseHost(withoutTrailing(this.#window.text(at + 1, end), '.-'));
    if (host === undefined || !isLikelyHost(host) || isBenignHost(host)) return;
    this.#sink.add('email', `${this.#window.text(start, at)}@${host}`, this.#window.offset(start));
  }

  #base64(at: number): void {
    if (at < this.#base64Until || !mayBeBase64Url(this.#bytes, at)) return;
    if (!this.#sink.mayParse('encoded')) return;
    const end = endOfBase64(this.#bytes, at, this.#window.end);
    const found = decodeBase64Url(this.#bytes, at, end);
    if (found === undefined) return;
    this.#base64Until = end;
    this.#sink.tag('ENCODED_URL', this.#window.offset(found.start), 'in base64');
    this.#sink.url(found.url, this.#window.offset(found.start));
  }

  #hex(start: number, end: number): void {
    if (!this.#sink.mayParse('encoded')) return;
    const url = decodeHexUrl(this.#window.text(start, Math.min(end, start + 2 * MAX_VALUE_LENGTH)));
    if (url === undefined) return;
    this.#sink.tag('ENCODED_URL', this.#window.offset(start), 'in hexadecimal digits');
    this.#sink.url(url, this.#window.offset(start));
  }

  /**
   * A string that is only an IPv4 address. Most strings of that shape are version numbers, which
   * have small components.
   */
  #bareQuad(): void {
    const length = this.#window.end - this.#window.start;
    if (length > 15 || length < 7 || DIGIT_BYTES[this.#bytes[this.#window.start] as number] !== 1)
      return;
    const text = this.#window.text(this.#window.start, this.#window.end);
    const quad = parseQuad(text);
    if (quad === undefined || isUnroutable(quad) || isPrivate(quad)) return;
    if (quad.filter((number) => number >= 20).length < 2 || (quad[0] ?? 0) < 20) return;
    this.#sink.add('host', text, this.#window.offset(this.#window.start));
  }
}

/** The hot loop: nearly all bytes are no anchors. */
function visitAnchors(scan: AnchorScan, bytes: Buffer, start: number, end: number): void {
  let at = start;
  while (at < end) {
    if (ANCHORS[bytes[at] as number] === 0) at += 1;
    else at = scan.anchor(at);
  }
}

/** A word of at least that length covers every byte at that distance, so few bytes are read. */
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
