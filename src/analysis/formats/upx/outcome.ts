/** How many bytes may be unpacked, and whether the time is over. */
export interface UnpackLimits {
  readonly bytes: number;
  isOver(): boolean;
}

/** The restored program. */
export interface Unpacked {
  readonly bytes: Buffer;
  /** The offset of the packed data. */
  readonly offset: number;
  /** What could not be restored, for users. */
  readonly notes: readonly string[];
}

/** `too-large`: exceeds the limit; `unreadable`: damaged, or of an unknown format. */
export type Outcome = Unpacked | 'too-large' | 'unreadable';
