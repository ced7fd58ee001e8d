import { createHash } from 'node:crypto';
import { blockBytes, decrypt } from '../../codecs/block-ciphers.ts';
import { readableText } from '../../codecs/readable-text.ts';
import type { Budget } from '../../formats/format.ts';
import type {
  DotnetSettings,
  SettingsBlock,
  TextField,
} from '../dotnet-settings/dotnet-settings.ts';
import { type EncryptedField, encryptedBlocks } from '../dotnet-settings/encrypted-blocks.ts';
import { firstUsed } from '../dotnet-settings/field-uses.ts';

/**
 * The encryption of XWorm's settings. A value is base64 of a ciphertext with PKCS #7 padding:
 *
 * | cipher | key | IV |
 * |---|---|---|
 * | AES-256-ECB | MD5 of the mutex at 0 and again at 15, byte 31 is zero | none |
 * | AES-256-CBC, AES-256-CFB (clones) | the same | zeros, or the first block |
 * | AES-128-ECB (clones) | MD5 of the mutex | none |
 * | AES-128-CBC, AES-128-CFB (clones) | the same | zeros, or the first block |
 * | 3DES-ECB (clones) | the same | none |
 *
 * The feedback of CFB is 128 bits (`RijndaelManaged`) or 8 bits (`Aes`).
 *
 * There is no MAC. A key is accepted if most values (at least three) decrypt to readable text:
 * under a wrong key, one padding in 255 is right, and of these one text in millions is readable.
 * `values.ts` then requires the form of the family.
 */
export const MIN_DECRYPTED = 3;
const MIN_SHARE = 0.6;
const MAX_KEY_LENGTH = 256;
/** Values by keys by schemes, about two tenths of a second. Real settings need a handful. */
const MAX_ATTEMPTS = 40_000;

interface Scheme {
  readonly cipher: string;
  key(md5: Buffer): Buffer;
  readonly iv?: 'zeros' | 'first-block';
}

const same = (md5: Buffer) => md5;
const SCHEMES: readonly Scheme[] = [
  { cipher: 'aes-256-ecb', key: overlapped },
  ...withIvs(['aes-256-cbc', 'aes-256-cfb', 'aes-256-cfb8'], overlapped),
  { cipher: 'aes-128-ecb', key: same },
  ...withIvs(['aes-128-cbc', 'aes-128-cfb', 'aes-128-cfb8'], same),
  { cipher: 'des-ede', key: same },
];

function withIvs(ciphers: readonly string[], key: Scheme['key']): Scheme[] {
  return ciphers.flatMap((cipher) =>
    (['zeros', 'first-block'] as const).map((iv) => ({ cipher, key, iv })),
  );
}

export interface DecryptedValue {
  readonly field: string;
  readonly text: string;
  /** Index among the values that look encrypted. */
  readonly index: number;
  readonly source: EncryptedField;
}

export interface DecryptedBlock {
  readonly block: SettingsBlock;
  /** In order, without the values that fail to decrypt or that other code replaces. */
  readonly values: readonly DecryptedValue[];
  readonly keyField: TextField;
}

/** MD5 at 0 and at 15: the second copy overwrites the last byte of the first. */
function overlapped(md5: Buffer): Buffer {
  const key = Buffer.alloc(32);
  md5.copy(key, 0);
  md5.copy(key, 15);
  return key;
}

export function decryptBlock(settings: DotnetSettings, budget: Budget): DecryptedBlock | undefined {
  return firstUsed(decryptedBlocks(settings, budget), settings);
}

/** Tries every text of a block as the key of the others. */
function* decryptedBlocks(settings: DotnetSettings, budget: Budget): Generator<DecryptedBlock> {
  const blocks = encryptedBlocks(settings, isCiphertext, MIN_DECRYPTED);
  let attemptsLeft = MAX_ATTEMPTS;
  for (const { block, fields, encrypted } of blocks) {
    for (const keyField of byLikelihood(fields)) {
      attemptsLeft -= SCHEMES.length * encrypted.length;
      if (attemptsLeft < 0 || budget.isOver()) return;
      const decrypted = decryptAll(encrypted, keyField);
      if (decrypted === undefined) continue;
      const values = decrypted.filter(
        ({ source }) => !settings.fieldUses.isReplaced({ ...source, value: source.text }),
      );
      yield { block, values, keyField };
      break;
    }
  }
}

function byLikelihood(fields: readonly TextField[]): TextField[] {
  const rank = ({ field }: TextField) => (/mutex/i.test(field) ? 0 : 1);
  return fields
    .filter(({ text }) => text !== '' && text.length <= MAX_KEY_LENGTH)
    .toSorted((a, b) => rank(a) - rank(b));
}

/**
 * Uses the scheme that decrypts the most values. Several may decrypt some: for a single block, ECB
 * and CBC with a zero IV are the same.
 */
function decryptAll(
  fields: readonly EncryptedField[],
  keyField: TextField,
): DecryptedValue[] | undefined {
  const md5 = createHash('md5').update(keyField.text).digest();
  const encrypted = fields.filter(({ fieldToken }) => fieldToken !== keyField.fieldToken);
  const minCount = Math.max(MIN_DECRYPTED, Math.ceil(encrypted.length * MIN_SHARE));
  let best: DecryptedValue[] | undefined;
  for (const scheme of SCHEMES) {
    const values = decryptWith(scheme, { encrypted, key: scheme.key(md5), minCount });
    if (values !== undefined && values.length > (best?.length ?? 0)) best = values;
  }
  return best;
}

/** Stops as soon as `minCount` is out of reach, which under a wrong key is nearly at once. */
function decryptWith(
  scheme: Scheme,
  {
    encrypted,
    key,
    minCount,
  }: { encrypted: readonly EncryptedField[]; key: Buffer; minCount: number },
): DecryptedValue[] | undefined {
  const values: DecryptedValue[] = [];
  for (const [index, source] of encrypted.entries()) {
    const text = decryptText(source.bytes, scheme, key);
    if (text !== undefined) values.push({ field: source.field, text, index, source });
    if (values.length + encrypted.length - index - 1 < minCount) return undefined;
  }
  // Empty texts do not identify the family.
  return values.filter(({ text }) => text !== '').length >= MIN_DECRYPTED ? values : undefined;
}

function decryptText(bytes: Buffer, { cipher, iv }: Scheme, key: Buffer): string | undefined {
  const size = blockBytes(cipher);
  if (iv === undefined) return readableText(decrypt({ cipher, key, bytes }));
  if (iv === 'zeros') return readableText(decrypt({ cipher, key, iv: Buffer.alloc(size), bytes }));
  if (bytes.length < size * 2) return undefined;
  const first = bytes.subarray(0, size);
  return readableText(decrypt({ cipher, key, iv: first, bytes: bytes.subarray(size) }));
}

function isCiphertext(bytes: Buffer): boolean {
  return bytes.length >= 8 && bytes.length % 8 === 0;
}
