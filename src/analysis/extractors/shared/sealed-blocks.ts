import { base64Bytes, looksLikeBase64 } from './ciphers.ts';
import {
  type DotnetSettings,
  type SettingsBlock,
  type TextField,
  textFields,
} from './dotnet-settings.ts';

/** A text, and what base64 in it stands for if it has the form of a sealed value. */
export interface MaybeSealed extends TextField {
  readonly bytes: Buffer | undefined;
}

export interface SealedField extends MaybeSealed {
  readonly bytes: Buffer;
}

export interface SealedBlock {
  readonly block: SettingsBlock;
  /** The texts in order, sealed or not. */
  readonly fields: readonly MaybeSealed[];
  readonly sealed: readonly SealedField[];
}

/** Real settings have two dozen. */
const MOST_FIELDS = 64;
/** How many are looked at closely, and how many are given. */
const MOST_LIKELY = 16;
const MOST_GIVEN = 8;

/**
 * The constructors that store sealed values, at least so many, those with the most first. One literal may be stored
 * by thousands of them: it is decoded once.
 */
export function sealedBlocks(
  settings: DotnetSettings,
  isSealed: (bytes: Buffer) => boolean,
  fewest: number,
): SealedBlock[] {
  const decoded = new Map<string, Buffer | undefined>();
  const bytesOf = (text: string) => {
    if (!decoded.has(text)) decoded.set(text, base64Bytes(text));
    const bytes = decoded.get(text);
    return bytes !== undefined && isSealed(bytes) ? bytes : undefined;
  };
  return likelyBlocks(settings, fewest)
    .map(({ block, texts }) => {
      const fields = texts.map((field) => ({ ...field, bytes: bytesOf(field.text) }));
      return { block, fields, sealed: fields.filter(hasBytes) };
    })
    .filter(({ sealed }) => sealed.length >= fewest)
    .toSorted((a, b) => b.sealed.length - a.sealed.length)
    .slice(0, MOST_GIVEN);
}

interface LikelyBlock {
  readonly block: SettingsBlock;
  readonly texts: readonly TextField[];
}

/** By the beginnings of the texts alone. */
function likelyBlocks({ blocks }: DotnetSettings, fewest: number): LikelyBlock[] {
  return blocks
    .map((block) => {
      const texts = textFields(block).slice(0, MOST_FIELDS);
      return { block, texts, count: texts.filter(({ text }) => looksLikeBase64(text)).length };
    })
    .filter(({ count }) => count >= fewest)
    .toSorted((a, b) => b.count - a.count)
    .slice(0, MOST_LIKELY);
}

function hasBytes(field: MaybeSealed): field is SealedField {
  return field.bytes !== undefined;
}
