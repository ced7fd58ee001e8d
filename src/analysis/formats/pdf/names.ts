/** Names whose occurrences are counted. */
export const COUNTED_NAMES: ReadonlySet<string> = new Set([
  'JavaScript',
  'JS',
  'OpenAction',
  'AA',
  'Launch',
  'EmbeddedFile',
  'EmbeddedFiles',
  'RichMedia',
  'URI',
  'AcroForm',
  'XFA',
  'ObjStm',
  'Encrypt',
  'SubmitForm',
  'GoToR',
  'GoToE',
  'ImportData',
  'JBIG2Decode',
]);
/** Stream filters by name and abbreviation. ISO 32000-1, 7.4.1 and 8.9.7. */
export const FILTERS: Readonly<Record<string, string>> = {
  FlateDecode: 'FlateDecode',
  Fl: 'FlateDecode',
  ASCIIHexDecode: 'ASCIIHexDecode',
  AHx: 'ASCIIHexDecode',
  ASCII85Decode: 'ASCII85Decode',
  A85: 'ASCII85Decode',
  LZWDecode: 'LZWDecode',
  RunLengthDecode: 'RunLengthDecode',
  DCTDecode: 'DCTDecode',
  Crypt: 'Crypt',
};
