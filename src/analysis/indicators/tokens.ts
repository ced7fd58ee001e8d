import type { IndicatorSink } from './sink.ts';
import { bytesOf, DIGIT_BYTES, type TextWindow } from './text-window.ts';
import { hasChecksum, isEthereumShaped, isWalletShaped } from './wallets.ts';

/** The text around an anchor, and the receiver of indicators. */
export interface AnchorContext {
  readonly window: TextWindow;
  readonly sink: IndicatorSink;
}

const WALLET_STARTS = bytesOf(/[13LMDTXbl0]/);
/** Words that make it likely that forty hexadecimal digits are an address. */
const PAYMENT_WORDS = /eth|wallet|usdt|erc-?20|metamask|coin|crypto/i;
const PAYMENT_WINDOW = 64;

const BOT_TOKEN = /^\d{8,11}:AA[A-Za-z0-9_-]{33}$/;
const BOT_TOKEN_TAIL = 35;
const MAX_USER_AGENT = 200;

export function findBotToken({ window, sink }: AnchorContext, colon: number): void {
  const start = window.skipBack(colon, 12, DIGIT_BYTES);
  const end = colon + 1 + BOT_TOKEN_TAIL;
  if (colon - start < 8 || end > window.end || window.isWordAt(end)) return;
  if (!sink.mayParse('token')) return;
  const token = window.text(start, end);
  if (!BOT_TOKEN.test(token)) return;
  const offset = window.offset(start);
  sink.addTagged('telegram-token', token, { tag: 'TELEGRAM_BOT', offset });
}

export function findChatId({ window, sink }: AnchorContext, at: number): void {
  if (window.bytes[at - 1] !== 0x64 || !window.isText(at - 7, 'chat_id')) return;
  if (!sink.mayParse('token')) return;
  const match = /^-?\d{5,16}/.exec(window.text(at + 1, Math.min(at + 18, window.end)));
  if (match === null) return;
  const offset = window.offset(at + 1);
  sink.addTagged('telegram-chat', match[0], { tag: 'TELEGRAM_BOT', offset });
}

export function findUserAgent({ window, sink }: AnchorContext, at: number): void {
  const start = at - 2;
  if (window.bytes[start] !== 0x4d || sink.hasTag('USER_AGENT')) return;
  if (!window.isText(start, 'Mozilla/5.0 (') && !window.isText(start, 'Mozilla/4.0 (')) return;
  const note = window.text(start, Math.min(start + MAX_USER_AGENT, window.end));
  sink.tag('USER_AGENT', window.offset(start), note);
}

export function findWallet(context: AnchorContext, start: number, end: number): void {
  const { window, sink } = context;
  if (WALLET_STARTS[window.bytes[start] as number] !== 1 || sink.isExhausted('wallet')) return;
  const token = window.text(start, end);
  if (!isWalletShaped(token) || !sink.mayParse('wallet')) return;
  if (isEthereumShaped(token) ? hasPaymentContext(context, start, end) : hasChecksum(token)) {
    const offset = window.offset(start);
    sink.addTagged('wallet', token, { tag: 'CRYPTO_WALLET', offset });
  }
}

/** Forty digits may be any hash: they count only near a wallet or a related word. */
function hasPaymentContext({ window, sink }: AnchorContext, start: number, end: number): boolean {
  if (sink.hasTag('CRYPTO_WALLET')) return true;
  const before = window.text(Math.max(window.start, start - PAYMENT_WINDOW), start);
  return PAYMENT_WORDS.test(before + window.text(end, Math.min(window.end, end + PAYMENT_WINDOW)));
}
