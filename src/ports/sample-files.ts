/**
 * Where the bytes of samples lie, each under its SHA-256. At rest they are unrecognisable, so that neither an
 * antivirus nor a careless click does harm, and every read is checked against the hash. Where the storage cannot be
 * reached it rejects with the problem `unavailable`.
 */
export interface SampleFiles {
  /** Takes bytes of a sample whose hash is not known yet. Nothing is to be seen of it before `keep`. */
  receive(): Promise<IncomingSample>;
  /**
   * The bytes in pieces, or `undefined` where there is no such sample. The last piece comes only after the
   * whole was found to have that hash; else the iteration throws `DamagedSample`.
   */
  read(sha256: string): Promise<AsyncIterable<Buffer> | undefined>;
  has(sha256: string): Promise<boolean>;
  /** No error where it is not there. */
  remove(sha256: string): Promise<void>;
  /** Removes what a crash may have left of samples that were being received. */
  sweep(): Promise<void>;
}

export interface IncomingSample {
  /** One after the other: each piece when the one before is written. */
  write(piece: Uint8Array): Promise<void>;
  /** Puts it in place, durably. The same sample again is no error. */
  keep(sha256: string): Promise<void>;
  /** Leaves nothing behind. May follow a failed `keep`. */
  discard(): Promise<void>;
}

/** What lies there is not what was put there. */
export class DamagedSample extends Error {}
