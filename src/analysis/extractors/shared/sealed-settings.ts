import { createHmac, pbkdf2Sync, timingSafeEqual } from 'node:crypto';
import type { Budget } from '../../formats/format.ts';
import { base64Bytes, decrypted } from './ciphers.ts';
import { type Derivation, type KeyUse, keyUses } from './derivations.ts';
import type { DotnetSettings, SettingsBlock, TextField } from './dotnet-settings.ts';
import { readableText } from './readable.ts';
import { type MaybeSealed, type SealedField, sealedBlocks } from './sealed-blocks.ts';

/**
 * Settings sealed the way that Quasar's class `Aes256` does, which AsyncRAT and all that came of it took over.
 * A sealed value is base64 of
 *
 * | at | what |
 * |---|---|
 * | 0 | 32 bytes: HMAC-SHA256 of all that follows |
 * | 32 | 16 bytes: IV |
 * | 48 | AES-CBC, padded as PKCS #7 says; UTF-8 inside |
 *
 * Both keys come out of one PBKDF2-HMAC-SHA1 (50,000 rounds) of a password that stands in the settings, with a
 * salt that stands in the class: first the key of AES (32 bytes, 16 in older ones), then that of the MAC (64).
 *
 * Reference: https://github.com/quasar/Quasar (the program is open source), and for AsyncRAT and its kin
 * https://github.com/jeFF0Falltrades/Tutorials/tree/master/asyncrat_config_parser.
 */
export interface OpenedSettings {
  readonly block: SettingsBlock;
  readonly fields: readonly OpenedField[];
  readonly keyField: TextField;
  readonly salt: Buffer;
}

export interface OpenedField extends TextField {
  /** What was sealed and passed its MAC; absent for all else. */
  readonly opened: string | undefined;
  /** Whether it has the form of a sealed value. */
  readonly isSealed: boolean;
}

const MAC_BYTES = 32;
const IV_BYTES = 16;
const BLOCK_BYTES = 16;
const SHORTEST_SEALED = MAC_BYTES + IV_BYTES + BLOCK_BYTES;
const AES_KEY_BYTES = [32, 16];
const MAC_KEY_BYTES = 64;
/** A block of settings has a dozen of them. */
const FEWEST_SEALED = 3;
/** Of one derivation, as the file states them; and of all together, which is a second or two. */
const MOST_ROUNDS = 200_000;
const MOST_ROUNDS_IN_ALL = 600_000;
const LONGEST_PASSWORD = 512;
/** The builders make them of so many letters or more. */
const USUAL_PASSWORD = 20;

const known = new WeakMap<DotnetSettings, { readonly opened: OpenedSettings | undefined }>();

/** The settings whose MACs are right, or nothing. Two families ask; the work is done once. */
export function openSealed(settings: DotnetSettings, budget: Budget): OpenedSettings | undefined {
  const before = known.get(settings);
  if (before !== undefined) return before.opened;
  const opened = open(settings, budget);
  known.set(settings, { opened });
  return opened;
}

function open(settings: DotnetSettings, budget: Budget): OpenedSettings | undefined {
  const blocks = sealedBlocks(settings, isSealedForm, FEWEST_SEALED);
  if (blocks.length === 0) return undefined;
  const { derivations, keyFields } = keyUses(settings);
  let roundsLeft = MOST_ROUNDS_IN_ALL;
  for (const { block, fields, sealed } of blocks) {
    for (const attempt of attempts(fields, derivations, keyFields)) {
      if (attempt.derivation.rounds > MOST_ROUNDS) continue;
      roundsLeft -= attempt.derivation.rounds;
      if (roundsLeft < 0 || budget.isOver()) return undefined;
      const keys = keysThatFit(attempt, sealed);
      if (keys === undefined) continue;
      const { keyField, derivation } = attempt;
      const opened = fields.map((field) => openField(field, keys));
      return { block, fields: opened, keyField, salt: derivation.salt };
    }
  }
  return undefined;
}

interface Attempt {
  readonly keyField: TextField;
  readonly password: Buffer;
  readonly derivation: Derivation;
}

/** The likeliest first: each costs a tenth of a second or more. */
function* attempts(
  fields: readonly MaybeSealed[],
  derivations: readonly Derivation[],
  keyFields: KeyUse['keyFields'],
): Generator<Attempt> {
  const rank = ({ field, fieldToken, text }: TextField) => {
    if (keyFields.has(fieldToken)) return 0;
    if (/key$/i.test(field)) return 1;
    return text.length >= USUAL_PASSWORD && /^[\w+/=-]+$/.test(text) ? 2 : 3;
  };
  const candidates = fields
    .filter(({ text, bytes }) => text !== '' && text.length <= LONGEST_PASSWORD && !bytes)
    .toSorted((a, b) => rank(a) - rank(b));
  for (const keyField of candidates) {
    for (const password of passwords(keyField.text)) {
      for (const derivation of derivations) yield { keyField, password, derivation };
    }
  }
}

/** AsyncRAT wraps the password in base64, Quasar does not. */
function passwords(text: string): Buffer[] {
  const unwrapped = readableText(base64Bytes(text));
  const plain = Buffer.from(text);
  return unwrapped === undefined ? [plain] : [Buffer.from(unwrapped), plain];
}

interface Keys {
  readonly aes: Buffer;
  readonly mac: Buffer;
}

/** One MAC that is right is proof; where the first values are damaged, others are as good. */
function keysThatFit(
  { password, derivation }: Attempt,
  sealed: readonly SealedField[],
): Keys | undefined {
  const sizes = [...new Set([...derivation.keyBytes, ...AES_KEY_BYTES])];
  const length = Math.max(...sizes) + MAC_KEY_BYTES;
  const stream = pbkdf2Sync(password, derivation.salt, derivation.rounds, length, 'sha1');
  return sizes
    .map((size) => ({
      aes: stream.subarray(0, size),
      mac: stream.subarray(size, size + MAC_KEY_BYTES),
    }))
    .find((keys) => sealed.some(({ bytes }) => isAuthentic(bytes, keys)));
}

function openField({ bytes, ...field }: MaybeSealed, keys: Keys): OpenedField {
  if (bytes === undefined) return { ...field, isSealed: false, opened: undefined };
  if (!isAuthentic(bytes, keys)) return { ...field, isSealed: true, opened: undefined };
  const iv = bytes.subarray(MAC_BYTES, MAC_BYTES + IV_BYTES);
  const cipher = `aes-${keys.aes.length * 8}-cbc`;
  const inside = decrypted({
    cipher,
    key: keys.aes,
    iv,
    bytes: bytes.subarray(MAC_BYTES + IV_BYTES),
  });
  return { ...field, isSealed: true, opened: inside?.toString('utf8') };
}

function isAuthentic(bytes: Buffer, { mac }: Keys): boolean {
  const computed = createHmac('sha256', mac).update(bytes.subarray(MAC_BYTES)).digest();
  return timingSafeEqual(computed, bytes.subarray(0, MAC_BYTES));
}

function isSealedForm(bytes: Buffer): boolean {
  return bytes.length >= SHORTEST_SEALED && bytes.length % BLOCK_BYTES === 0;
}
