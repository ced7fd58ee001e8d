/**
 * Stores the bytes of samples under their SHA-256. The stored form cannot be recognised by
 * antivirus programs nor be run by accident, and every read is verified against the hash. If the
 * storage cannot be reached, methods reject with the problem `unavailable`.
 */
export interface SampleFiles {
  /** Begins to store a sample whose hash is not known yet. It is not visible before `keep`. */
  receive(): Promise<IncomingSample>;
  /**
   * The bytes in pieces, or `undefined` if there is no such sample. The last piece is yielded only
   * after the hash of the whole was verified; otherwise the iteration throws `DamagedSample`.
   */
  read(sha256: string): Promise<AsyncIterable<Buffer> | undefined>;
  has(sha256: string): Promise<boolean>;
  /** Succeeds if there is no such sample. */
  remove(sha256: string): Promise<void>;
  /** Removes incomplete uploads that a crash left. */
  sweep(): Promise<void>;
}

export interface IncomingSample {
  /** Calls must not overlap. */
  write(piece: Uint8Array): Promise<void>;
  /** Stores the sample durably. Succeeds if it is stored already. */
  keep(sha256: string): Promise<void>;
  /** Removes the incomplete upload. May follow a failed `keep`. */
  discard(): Promise<void>;
}

/** The stored bytes do not have the hash under which they are stored. */
export class DamagedSample extends Error {}
