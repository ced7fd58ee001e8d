import { Reader } from '../../reader.ts';
import type { CompoundFile } from './file.ts';

/**
 * Records of the binary Office formats that state encryption and macro sheets.
 *
 * | stream                  | content                                                          |
 * |-------------------------|------------------------------------------------------------------|
 * | `WordDocument`          | u16 at 10, bit 0x0100: encrypted ([MS-DOC] 2.5.2)                |
 * | `Workbook`, `Book`      | records u16 id, u16 length: 0x2F encrypted, 0x85 a sheet: u32    |
 * |                         | offset, u8 hidden, u8 kind (1: macros) ([MS-XLS] 2.4.117,        |
 * |                         | 2.4.28)                                                          |
 * | `Current User`          | u32 at 12, F3D1C4DF: encrypted ([MS-PPT] 2.3.2)                  |
 * | `EncryptedPackage`      | an OOXML file with a password ([MS-OFFCRYPTO] 2.3.4.4)           |
 */
export interface OfficeTraits {
  readonly encrypted: boolean;
  /** The number of Excel 4 macro sheets, and whether one of them is hidden. */
  readonly macroSheets: number;
  readonly hiddenMacroSheet: boolean;
  /** Whether the workbook has more records than were read. */
  readonly truncated: boolean;
}

const MAX_RECORDS = 1_000_000;

export function readOfficeTraits(file: CompoundFile): OfficeTraits {
  const workbook = readWorkbook(streamOf(file, 'Workbook') ?? streamOf(file, 'Book'));
  const word = streamOf(file, 'WordDocument');
  const user = streamOf(file, 'Current User');
  const encrypted =
    workbook.encrypted ||
    file.find('EncryptedPackage') !== undefined ||
    ((word?.u16(10) ?? 0) & 0x0100) !== 0 ||
    user?.u32(12) === 0xf3d1c4df;
  return { ...workbook, encrypted };
}

function streamOf(file: CompoundFile, name: string): Reader | undefined {
  const entry = file.find(name);
  return entry && new Reader(file.read(entry));
}

function readWorkbook(reader: Reader | undefined): OfficeTraits {
  let macroSheets = 0;
  let hiddenMacroSheet = false;
  let encrypted = false;
  let at = 0;
  let record = 0;
  for (; reader?.has(at, 4) && record < MAX_RECORDS; record += 1) {
    const id = reader.u16(at);
    // Id and length are zero: padding after the last record.
    if (reader.u32(at) === 0) break;
    if (id === 0x2f) encrypted = true;
    if (id === 0x85 && reader.u8(at + 9) === 1) {
      macroSheets += 1;
      hiddenMacroSheet ||= ((reader.u8(at + 8) ?? 0) & 3) !== 0;
    }
    at += 4 + (reader.u16(at + 2) ?? 0);
  }
  return { encrypted, macroSheets, hiddenMacroSheet, truncated: record === MAX_RECORDS };
}
