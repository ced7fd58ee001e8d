import { createHash } from 'node:crypto';

/**
 * Cryptocurrency addresses, recognised by their checksum:
 *
 *   base58check   version u8 | hash 20 bytes | first 4 bytes of SHA-256(SHA-256(version | hash))
 *   bech32        prefix "1" data, a BCH code over both (BIP 173; BIP 350 has another constant
 *                 from version 1 on)
 *
 * An Ethereum address in lower case has no checksum: it needs a related word near it.
 */
const BASE58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const BASE58_VALUES = new Map([...BASE58].map((character, value) => [character, BigInt(value)]));
const BASE58_ADDRESS = /^[13LMDTX][1-9A-HJ-NP-Za-km-z]{25,34}$/;
const BASE58_BYTES = 25;

/** Version bytes: Bitcoin, its script hashes, Dogecoin, Litecoin (two), Tron, Dash. */
const VERSIONS: ReadonlySet<number> = new Set([0x00, 0x05, 0x1e, 0x30, 0x32, 0x41, 0x4c]);

const BECH32 = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l';
const BECH32_ADDRESS = /^(?:bc|ltc)1[02-9ac-hj-np-z]{39,71}$/;
const BCH_GENERATORS = [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3];
const BECH32_CONSTANT = 1;
const BECH32M_CONSTANT = 0x2bc830a3;

export const MIN_WALLET_LENGTH = 26;
export const MAX_WALLET_LENGTH = 76;

/** Quick test: whether a token has the characters and the length of an address. */
export function isWalletShaped(token: string): boolean {
  return BASE58_ADDRESS.test(token) || BECH32_ADDRESS.test(token) || isEthereumShaped(token);
}

export function isEthereumShaped(token: string): boolean {
  return /^0x[0-9a-fA-F]{40}$/.test(token) && !/^0x(.)\1{39}$/.test(token);
}

/** Whether the checksum of a token of that shape is correct. */
export function hasChecksum(token: string): boolean {
  return BASE58_ADDRESS.test(token) ? isBase58Check(token) : isBech32(token);
}

function isBase58Check(token: string): boolean {
  let number = 0n;
  for (const character of token) number = number * 58n + (BASE58_VALUES.get(character) ?? 0n);
  const hex = number.toString(16);
  if (hex.length > BASE58_BYTES * 2) return false;
  const bytes = Buffer.from(hex.padStart(BASE58_BYTES * 2, '0'), 'hex');
  // Only Bitcoin's version is zero, and each leading zero byte is written as "1".
  if (!VERSIONS.has(bytes[0] ?? -1) || (bytes[0] === 0) !== token.startsWith('1')) return false;
  const digest = sha256(sha256(bytes.subarray(0, 21)));
  return digest.subarray(0, 4).equals(bytes.subarray(21));
}

function sha256(bytes: Buffer): Buffer {
  return createHash('sha256').update(bytes).digest();
}

function isBech32(token: string): boolean {
  const split = token.lastIndexOf('1');
  const prefix = [...token.slice(0, split)].map((character) => character.charCodeAt(0));
  const data = [...token.slice(split + 1)].map((character) => BECH32.indexOf(character));
  const expanded = [...prefix.map((code) => code >> 5), 0, ...prefix.map((code) => code & 31)];
  const remainder = bchRemainder([...expanded, ...data]);
  return remainder === (data[0] === 0 ? BECH32_CONSTANT : BECH32M_CONSTANT);
}

function bchRemainder(values: readonly number[]): number {
  let checksum = 1;
  for (const value of values) {
    const top = checksum >>> 25;
    checksum = ((checksum & 0x1ffffff) << 5) ^ value;
    BCH_GENERATORS.forEach((generator, bit) => {
      if ((top >> bit) & 1) checksum ^= generator;
    });
  }
  return checksum;
}
