import type { Generated } from 'kysely';

export interface SampleTable {
  id: number;
  sha256: Uint8Array;
  blake3: Uint8Array;
  sha512: Uint8Array;
  family: string | null;
  analysed_at: string;
  body: string;
}

export interface FuzzyHashTable {
  id: number;
  text: string;
  file_name: string;
  tags: string;
  due: number;
}

export interface SampleC2Table {
  number: Generated<number>;
  reversed: string;
  port: number;
  sample_id: number;
  leads: number;
  /** Whether the settings have C2s besides these rows; `null` in rows older than the column. */
  has_more: number | null;
  family: string | null;
}
