import { base64Bytes, looksLikeBase64 } from '../../codecs/base64.ts';
import {
  type DotnetSettings,
  type SettingsBlock,
  type TextField,
  textFields,
} from './dotnet-settings.ts';

/** A text field. `bytes` is its decoded base64 if that has the form of a ciphertext. */
export interface MaybeEncryptedField extends TextField {
  readonly bytes: Buffer | undefined;
}

export interface EncryptedField extends MaybeEncryptedField {
  readonly bytes: Buffer;
}

export interface EncryptedBlock {
  readonly block: SettingsBlock;
  /** All text fields in order. */
  readonly fields: readonly MaybeEncryptedField[];
  readonly encrypted: readonly EncryptedField[];
}

/** Real settings have about two dozen fields. */
const MAX_FIELDS = 64;
/** How many blocks are decoded, and how many are returned. */
const MAX_CANDIDATES = 16;
const MAX_BLOCKS = 8;

/**
 * The constructors that store at least `minEncrypted` encrypted texts, those with the most first. A
 * literal that thousands of constructors store is decoded once.
 */
export function encryptedBlocks(
  settings: DotnetSettings,
  isCiphertext: (bytes: Buffer) => boolean,
  minEncrypted: number,
): EncryptedBlock[] {
  const decoded = new Map<string, Buffer | undefined>();
  const bytesOf = (text: string) => {
    if (!decoded.has(text)) decoded.set(text, base64Bytes(text));
    const bytes = decoded.get(text);
    return bytes !== undefined && isCiphertext(bytes) ? bytes : undefined;
  };
  return candidateBlocks(settings, minEncrypted)
    .map(({ block, texts }) => {
      const fields = texts.map((field) => ({ ...field, bytes: bytesOf(field.text) }));
      return { block, fields, encrypted: fields.filter(hasBytes) };
    })
    .filter(({ encrypted }) => encrypted.length >= minEncrypted)
    .toSorted((a, b) => b.encrypted.length - a.encrypted.length)
    .slice(0, MAX_BLOCKS);
}

interface CandidateBlock {
  readonly block: SettingsBlock;
  readonly texts: readonly TextField[];
}

/** Checks the first characters of each text only. */
function candidateBlocks({ blocks }: DotnetSettings, minEncrypted: number): CandidateBlock[] {
  return blocks
    .map((block) => {
      const texts = textFields(block).slice(0, MAX_FIELDS);
      return { block, texts, count: texts.filter(({ text }) => looksLikeBase64(text)).length };
    })
    .filter(({ count }) => count >= minEncrypted)
    .toSorted((a, b) => b.count - a.count)
    .slice(0, MAX_CANDIDATES);
}

function hasBytes(field: MaybeEncryptedField): field is EncryptedField {
  return field.bytes !== undefined;
}
