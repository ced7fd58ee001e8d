import type { Subject } from './subject.ts';

/** Many small contents put together, so that one scan does for all of them. */
export interface Joined {
  readonly bytes: Buffer;
  /** The content in which that place lies, and the place in there. */
  at(offset: number): { readonly subject: Subject; readonly offset: number };
}

/** Enough for a thousand classes; beyond, memory would be spent to save nothing. */
const FULL_BYTES = 4 * 1024 * 1024;

/** Contents that wait to be looked at together. */
export class Gathered {
  #subjects: Subject[] = [];
  #sizeBytes = 0;

  /** Whether there are so many by now that they should be taken. */
  get isFull(): boolean {
    return this.#sizeBytes >= FULL_BYTES;
  }

  add(subject: Subject): void {
    this.#subjects.push(subject);
    this.#sizeBytes += subject.bytes.length;
  }

  /** All that wait, and none waits any more; `undefined` where none did. */
  take(): Joined | undefined {
    const subjects = this.#subjects;
    this.#subjects = [];
    this.#sizeBytes = 0;
    return subjects.length === 0 ? undefined : join(subjects);
  }
}

function join(subjects: readonly Subject[]): Joined {
  const starts: number[] = [];
  let end = 0;
  for (const { bytes } of subjects) {
    starts.push(end);
    end += bytes.length;
  }
  return {
    bytes: Buffer.concat(subjects.map(({ bytes }) => bytes)),
    at(offset) {
      const place = Math.max(
        starts.findLastIndex((start) => start <= offset),
        0,
      );
      // There is at least one, and `place` is within them.
      return { subject: subjects[place] as Subject, offset: offset - (starts[place] ?? 0) };
    },
  };
}
