/** How much may come out, and whether there is still time for it. */
export interface Room {
  readonly bytes: number;
  isOver(): boolean;
}

/** A program as it was before it was packed, as far as it can be told. */
export interface Unpacked {
  readonly bytes: Buffer;
  /** Where the packed data begins. */
  readonly offset: number;
  /** What was not put back as it was, for people. */
  readonly notes: readonly string[];
}

/** `too-large`: there is no room for it; `unreadable`: damaged, or made by something that is not known here. */
export type Outcome = Unpacked | 'too-large' | 'unreadable';
