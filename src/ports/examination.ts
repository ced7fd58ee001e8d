/** Whether what the store promises of itself holds. It is only read, also while others write. */
export interface Examination {
  readonly checks: readonly StoreCheck[];
  /** The samples whose bytes must be there, by SHA-256 in ascending order. */
  uploads(after: string | undefined, limit: number): Promise<readonly KeptUpload[]>;
  /** How much they are together. */
  uploadedBytes(): Promise<number>;
}

export interface StoreCheck {
  readonly name: string;
  /** Goes through the store a part at a time. */
  run(): AsyncIterable<CheckedPart>;
}

export interface CheckedPart {
  /** How many rows were looked at, as far as that was counted. */
  readonly looked: number;
  /** How many bytes of samples were read. */
  readonly bytes?: number;
  /** A sentence for each thing that is wrong, with its id. */
  readonly wrong: readonly string[];
}

export interface KeptUpload {
  readonly sha256: string;
  readonly sizeBytes: number;
}
