import { isUtf8 } from 'node:buffer';
import { createHmac, pbkdf2Sync, timingSafeEqual } from 'node:crypto';
import { base64Bytes } from '../../codecs/base64.ts';
import { decrypt } from '../../codecs/block-ciphers.ts';
import { readableText } from '../../codecs/readable-text.ts';
import type { Budget } from '../../formats/format.ts';
import type { DotnetSettings, SettingsBlock, TextField } from './dotnet-settings.ts';
import {
  type EncryptedField,
  encryptedBlocks,
  type MaybeEncryptedField,
} from './encrypted-blocks.ts';
import { firstUsed } from './field-uses.ts';
import { type Derivation, type KeyUse, keyUses } from './key-derivations.ts';

/**
 * Settings encrypted by Quasar's class `Aes256`, which AsyncRAT and its derivatives copied. A value
 * is base64 of
 *
 * | offset | content |
 * |---|---|
 * | 0 | 32 bytes: HMAC-SHA256 of the rest |
 * | 32 | 16 bytes: IV |
 * | 48 | AES-CBC with PKCS #7 padding, in clones AES-CFB; the plaintext is UTF-8 |
 *
 * Both keys come from one PBKDF2-HMAC-SHA1 (50,000 rounds) of a password in the settings and a salt
 * in the class: first the AES key (32 bytes, 16 in older versions), then the MAC key (64 bytes).
 *
 * The MAC proves the keys and that the ciphertext is intact, but not the mode: the mode is the one
 * under which the most values have a right padding and are UTF-8.
 *
 * References: https://github.com/quasar/Quasar (open source), for AsyncRAT
 * https://github.com/jeFF0Falltrades/Tutorials/tree/master/asyncrat_config_parser.
 */
export interface DecryptedSettings {
  readonly block: SettingsBlock;
  readonly fields: readonly DecryptedField[];
  readonly keyField: TextField;
  readonly salt: Buffer;
}

export interface DecryptedField extends TextField {
  /**
   * The plaintext; `undefined` if the field is not encrypted, its MAC is wrong, or other code
   * replaces it.
   */
  readonly plain: string | undefined;
  /** Whether the field has the form of an encrypted value. */
  readonly isEncrypted: boolean;
}

const MAC_BYTES = 32;
const IV_BYTES = 16;
const BLOCK_BYTES = 16;
const MIN_ENCRYPTED_BYTES = MAC_BYTES + IV_BYTES + BLOCK_BYTES;
const AES_KEY_BYTES = [32, 16];
const MAC_KEY_BYTES = 64;
/** Real settings have a dozen encrypted values. */
const MIN_ENCRYPTED_FIELDS = 3;
/**
 * The file chooses the rounds: limit of one derivation, and of all, which take one to two seconds.
 */
const MAX_ROUNDS = 200_000;
const MAX_TOTAL_ROUNDS = 600_000;
const MAX_PASSWORD_LENGTH = 512;
/** Builders generate passwords of at least this length. */
const USUAL_PASSWORD_LENGTH = 20;

const cache = new WeakMap<DotnetSettings, { readonly decrypted: DecryptedSettings | undefined }>();

/** The settings whose MACs are right. Cached, because two extractors use the same encryption. */
export function decryptSettings(
  settings: DotnetSettings,
  budget: Budget,
): DecryptedSettings | undefined {
  const cached = cache.get(settings);
  if (cached !== undefined) return cached.decrypted;
  const decrypted = firstUsed(decryptedBlocks(settings, budget), settings);
  cache.set(settings, { decrypted });
  return decrypted;
}

function* decryptedBlocks(settings: DotnetSettings, budget: Budget): Generator<DecryptedSettings> {
  const found = encryptedBlocks(settings, isCiphertext, MIN_ENCRYPTED_FIELDS);
  if (found.length === 0) return;
  const { derivations, keyFields, isGuess } = keyUses(settings);
  const blocks = isGuess ? found.filter(({ fields }) => areMostlySealed(fields)) : found;
  let roundsLeft = MAX_TOTAL_ROUNDS;
  for (const { block, fields, encrypted } of blocks) {
    for (const attempt of attempts(fields, derivations, keyFields)) {
      if (attempt.derivation.rounds > MAX_ROUNDS) continue;
      roundsLeft -= attempt.derivation.rounds;
      if (roundsLeft < 0 || budget.isOver()) return;
      const keys = verifiedKeys(attempt, encrypted);
      if (keys === undefined) continue;
      const { keyField, derivation } = attempt;
      const mode = modeOf(encrypted, keys);
      const decrypted = fields
        .map((field) => decryptField(field, keys, mode))
        .map((field) => withoutReplaced(field, settings));
      yield { block, fields: decrypted, keyField, salt: derivation.salt };
      break;
    }
  }
}

interface Attempt {
  readonly keyField: TextField;
  readonly password: Buffer;
  readonly derivation: Derivation;
}

/** The likeliest password fields first: each attempt costs a tenth of a second or more. */
function* attempts(
  fields: readonly MaybeEncryptedField[],
  derivations: readonly Derivation[],
  keyFields: KeyUse['keyFields'],
): Generator<Attempt> {
  const rank = ({ field, fieldToken, text }: TextField) => {
    if (keyFields.has(fieldToken)) return 0;
    if (/key$/i.test(field)) return 1;
    return text.length >= USUAL_PASSWORD_LENGTH && /^[\w+/=-]+$/.test(text) ? 2 : 3;
  };
  const candidates = fields
    .filter(({ text, bytes }) => text !== '' && text.length <= MAX_PASSWORD_LENGTH && !bytes)
    .toSorted((a, b) => rank(a) - rank(b));
  for (const keyField of candidates) {
    for (const password of passwords(keyField.text)) {
      for (const derivation of derivations) yield { keyField, password, derivation };
    }
  }
}

/** AsyncRAT stores the password in base64, Quasar as plain text. */
function passwords(text: string): Buffer[] {
  const unwrapped = readableText(base64Bytes(text));
  const plain = Buffer.from(text);
  return unwrapped === undefined ? [plain] : [Buffer.from(unwrapped), plain];
}

interface Keys {
  readonly aes: Buffer;
  readonly mac: Buffer;
}

/** One correct MAC proves the keys. All values are tried, in case the first ones are damaged. */
function verifiedKeys(
  { password, derivation }: Attempt,
  encrypted: readonly EncryptedField[],
): Keys | undefined {
  const sizes = [...new Set([...derivation.keyBytes, ...AES_KEY_BYTES])];
  const length = Math.max(...sizes) + MAC_KEY_BYTES;
  const stream = pbkdf2Sync(password, derivation.salt, derivation.rounds, length, 'sha1');
  return sizes
    .map((size) => ({
      aes: stream.subarray(0, size),
      mac: stream.subarray(size, size + MAC_KEY_BYTES),
    }))
    .find((keys) => encrypted.some(({ bytes }) => isAuthentic(bytes, keys)));
}

/** CFB with a feedback of 128 bits is that of `RijndaelManaged`, of 8 bits that of `Aes`. */
const MODES = ['cbc', 'cfb', 'cfb8'] as const;
type Mode = (typeof MODES)[number];

/** CBC if no other mode explains more values. */
function modeOf(encrypted: readonly EncryptedField[], keys: Keys): Mode {
  const authentic = encrypted.filter(({ bytes }) => isAuthentic(bytes, keys));
  const counts = MODES.map(
    (mode) => authentic.filter(({ bytes }) => plaintextOf(bytes, keys, mode) !== undefined).length,
  );
  return MODES[counts.indexOf(Math.max(...counts))] ?? 'cbc';
}

/** Under a wrong mode, one padding in 256 is right, but the rest is no UTF-8. */
function plaintextOf(bytes: Buffer, { aes }: Keys, mode: Mode): string | undefined {
  const plain = decrypt({
    cipher: `aes-${aes.length * 8}-${mode}`,
    key: aes,
    iv: bytes.subarray(MAC_BYTES, MAC_BYTES + IV_BYTES),
    bytes: bytes.subarray(MAC_BYTES + IV_BYTES),
  });
  return plain !== undefined && isUtf8(plain) ? plain.toString('utf8') : undefined;
}

function decryptField(
  { bytes, ...field }: MaybeEncryptedField,
  keys: Keys,
  mode: Mode,
): DecryptedField {
  if (bytes === undefined) return { ...field, isEncrypted: false, plain: undefined };
  if (!isAuthentic(bytes, keys)) return { ...field, isEncrypted: true, plain: undefined };
  return { ...field, isEncrypted: true, plain: plaintextOf(bytes, keys, mode) };
}

/** A value that other code replaces is not the setting, as if its MAC were wrong. */
function withoutReplaced(field: DecryptedField, { fieldUses }: DotnetSettings): DecryptedField {
  const isReplaced = field.isEncrypted && fieldUses.isReplaced({ ...field, value: field.text });
  return isReplaced ? { ...field, plain: undefined } : field;
}

function isAuthentic(bytes: Buffer, { mac }: Keys): boolean {
  const computed = createHmac('sha256', mac).update(bytes.subarray(MAC_BYTES)).digest();
  return timingSafeEqual(computed, bytes.subarray(0, MAC_BYTES));
}

function isCiphertext(bytes: Buffer): boolean {
  return bytes.length >= MIN_ENCRYPTED_BYTES && bytes.length % BLOCK_BYTES === 0;
}

/**
 * Whether more values have the form of a value with a MAC than that of a shorter ciphertext. The
 * latter is what programs without a MAC have; a derivation would be wasted on them.
 */
function areMostlySealed(fields: readonly MaybeEncryptedField[]): boolean {
  const sealed = fields.filter(({ bytes }) => bytes !== undefined).length;
  const shorter = fields.filter(({ text, bytes }) => {
    const length = bytes === undefined ? (base64Bytes(text)?.length ?? 0) : 0;
    return length >= BLOCK_BYTES && length % BLOCK_BYTES === 0;
  }).length;
  return sealed > shorter;
}
