/** Consistency checks of the store. They only read, also during concurrent writes. */
export interface Examination {
  readonly checks: readonly StoreCheck[];
  /** The uploads whose files must exist, ordered by SHA-256. */
  uploads(after: string | undefined, limit: number): Promise<readonly ExpectedFile[]>;
  /** The total size of those files. */
  uploadedBytes(): Promise<number>;
}

export interface StoreCheck {
  readonly name: string;
  /** Yields the result of one part of the store after the other. */
  run(): AsyncIterable<CheckedPart>;
}

export interface CheckedPart {
  /** The number of rows examined, as far as it is known. */
  readonly examined: number;
  /** The number of bytes of samples that were read. */
  readonly bytes?: number;
  /** A sentence for each inconsistency, with the id of the row. */
  readonly wrong: readonly string[];
}

export interface ExpectedFile {
  readonly sha256: string;
  readonly sizeBytes: number;
}
