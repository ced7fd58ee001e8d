import type { Budget } from '../../formats/format.ts';
import type { NativeProgram } from '../../formats/pe/native-program.ts';
import { isDeadDrop } from './dead-drops.ts';

/**
 * Finds a block XORed with a repeating key by a text that it contains. The XOR of two bytes at the
 * distance of the key's length does not depend on the key:
 *
 *   (a ^ key) ^ (b ^ key) = a ^ b
 *
 * The text has 35 characters and the key at most 24 bytes, so at least 11 bytes prove the length;
 * the text is then the key.
 */
const KNOWN = Buffer.from('steamcommunity.com/profiles/7656119');
const MIN_KEY_BYTES = 2;
const MAX_KEY_BYTES = 24;
/** The other pages stand this near to the text. */
const REACH_BYTES = 4_096;
const MAX_SEARCHED_BYTES = 1_024 * 1_024;
const MAX_TRIES = 64;

const URLS = /https:\/\/(?:steamcommunity\.com\/profiles\/\d{17}|(?:t|telegram)\.me\/\w{4,32})\0/g;

interface Block {
  readonly urls: readonly string[];
  readonly offset: number;
}

/** `undefined` unless the block names a page on Steam and one on Telegram. */
export function deadDropsInBlock(program: NativeProgram, budget: Budget): Block | undefined {
  let left = MAX_SEARCHED_BYTES;
  for (const { start, end } of program.dataParts()) {
    const bytes = program.bytes.subarray(start, Math.min(end, start + left));
    left -= bytes.length;
    for (let length = MIN_KEY_BYTES; length <= MAX_KEY_BYTES; length += 1) {
      if (budget.isOver()) return undefined;
      const block = blockUnder(bytes, length);
      if (block !== undefined) return { ...block, offset: start + block.offset };
    }
  }
  return undefined;
}

function blockUnder(bytes: Buffer, length: number): Block | undefined {
  let at = nextKnown(bytes, 0, length);
  for (let tries = 0; at !== -1 && tries < MAX_TRIES; tries += 1) {
    const urls = urlsAround(bytes, at, length);
    const isPair =
      urls.some((url) => /\/profiles\//.test(url)) && urls.some((url) => /\.me\//.test(url));
    if (isPair) return { urls, offset: at };
    at = nextKnown(bytes, at + 1, length);
  }
  return undefined;
}

/** The hot loop. */
function nextKnown(bytes: Buffer, from: number, length: number): number {
  const difference = (KNOWN[0] as number) ^ (KNOWN[length] as number);
  const last = bytes.length - KNOWN.length;
  for (let at = from; at <= last; at += 1)
    if (
      ((bytes[at] as number) ^ (bytes[at + length] as number)) === difference &&
      isKnown(bytes, at, length)
    )
      return at;
  return -1;
}

function isKnown(bytes: Buffer, at: number, length: number): boolean {
  for (let index = 0; index + length < KNOWN.length; index += 1) {
    const here = (bytes[at + index] as number) ^ (bytes[at + index + length] as number);
    if (here !== ((KNOWN[index] as number) ^ (KNOWN[index + length] as number))) return false;
  }
  // Plain text is no block.
  return bytes[at] !== KNOWN[0] || bytes[at + 1] !== KNOWN[1];
}

function urlsAround(bytes: Buffer, at: number, length: number): string[] {
  const key = Buffer.from(
    KNOWN.subarray(0, length).map((byte, index) => byte ^ (bytes[at + index] as number)),
  );
  const start = Math.max(0, at - REACH_BYTES);
  const window = bytes.subarray(start, at + REACH_BYTES);
  // The phase of the key at the start of the window.
  const phase = (((start - at) % length) + length) % length;
  const plain = window.map((byte, index) => byte ^ (key[(index + phase) % length] as number));
  return [...Buffer.from(plain).toString('latin1').matchAll(URLS)]
    .map(([text]) => text.slice(0, -1))
    .filter(isDeadDrop);
}
