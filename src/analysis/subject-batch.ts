import type { Subject } from './subject.ts';

/** Several small subjects concatenated, so that one scan covers all of them. */
export interface JoinedSubjects {
  readonly bytes: Buffer;
  /** The subject that contains an offset of the concatenation, and the offset in that subject. */
  at(offset: number): { readonly subject: Subject; readonly offset: number };
}

/** Enough for a thousand Java classes; a larger batch saves no further time. */
const FULL_BYTES = 4 * 1024 * 1024;

/** Subjects that are scanned together. */
export class SubjectBatch {
  #subjects: Subject[] = [];
  #sizeBytes = 0;

  /** Whether the batch should be scanned now. */
  get isFull(): boolean {
    return this.#sizeBytes >= FULL_BYTES;
  }

  add(subject: Subject): void {
    this.#subjects.push(subject);
    this.#sizeBytes += subject.bytes.length;
  }

  /** Returns the batch and empties it; `undefined` if it is empty. */
  take(): JoinedSubjects | undefined {
    const subjects = this.#subjects;
    this.#subjects = [];
    this.#sizeBytes = 0;
    return subjects.length === 0 ? undefined : join(subjects);
  }
}

function join(subjects: readonly Subject[]): JoinedSubjects {
  const starts: number[] = [];
  let end = 0;
  for (const { bytes } of subjects) {
    starts.push(end);
    end += bytes.length;
  }
  return {
    bytes: Buffer.concat(subjects.map(({ bytes }) => bytes)),
    at(offset) {
      const index = Math.max(
        starts.findLastIndex((start) => start <= offset),
        0,
      );
      // There is at least one subject, and `index` is within bounds.
      return { subject: subjects[index] as Subject, offset: offset - (starts[index] ?? 0) };
    },
  };
}
