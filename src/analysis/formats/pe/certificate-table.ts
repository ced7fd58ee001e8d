import { DER, type Der, readDer } from './der.ts';

/**
 * The certificate table: entries of length u32, revision u16, kind u16 (2: PKCS#7), content,
 * padding to a multiple of 8. The digest of the file leaves the table out, so a signature stays
 * valid if data is added to the table. Windows ignores bytes after the structure of an entry,
 * unless `EnableCertPaddingCheck` is set (Microsoft security bulletin MS13-098).
 */
const PKCS7_KIND = 2;
const ENTRY_HEAD_BYTES = 8;
const ALIGNMENT = 8;
/** Real tables have one or two. */
const MAX_ENTRIES = 16;

/** Bytes of the table that no signature needs. */
export interface HiddenData {
  /** In the table. */
  readonly offset: number;
  readonly size: number;
  readonly location: string;
}

/** The content of the first entry, if its type is that of a signature. */
export function signatureContentOf(table: Buffer): Buffer | undefined {
  return entryAt(table, 0)?.content;
}

/**
 * The data after the structures of the entries, and after the last entry. Zeros are padding of any
 * length.
 */
export function hiddenAfterEntries(table: Buffer): readonly HiddenData[] {
  const hidden: HiddenData[] = [];
  let at = 0;
  for (let count = 0; count < MAX_ENTRIES && at < table.length; count += 1) {
    const entry = entryAt(table, at);
    if (entry?.structure === undefined) break;
    const used = at + ENTRY_HEAD_BYTES + entry.structure.whole.length;
    const end = at + ENTRY_HEAD_BYTES + entry.content.length;
    hidden.push(...dataIn(table, [used, end], 'after the signature'));
    at = Math.ceil(end / ALIGNMENT) * ALIGNMENT;
  }
  return [...hidden, ...dataIn(table, [at, table.length], 'after the last entry')];
}

interface Entry {
  readonly content: Buffer;
  readonly structure: Der | undefined;
}

function entryAt(table: Buffer, at: number): Entry | undefined {
  if (at + ENTRY_HEAD_BYTES > table.length) return undefined;
  const end = Math.min(at + table.readUInt32LE(at), table.length);
  if (end < at + ENTRY_HEAD_BYTES || table.readUInt16LE(at + 6) !== PKCS7_KIND) return undefined;
  const content = table.subarray(at + ENTRY_HEAD_BYTES, end);
  const structure = readDer(content);
  return { content, structure: structure?.tag === DER.sequence ? structure : undefined };
}

/** Without zeros around it. Fewer bytes than the alignment are padding, whatever their value is. */
function dataIn(
  table: Buffer,
  [from, to]: readonly [from: number, to: number],
  location: string,
): readonly HiddenData[] {
  let [start, end] = [from, to];
  while (end > start && table[end - 1] === 0) end -= 1;
  while (start < end && table[start] === 0) start += 1;
  return end - start < ALIGNMENT ? [] : [{ offset: start, size: end - start, location }];
}
