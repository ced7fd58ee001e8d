import { type Collection, GENERAL_TAGS } from './collection.ts';
import type { Subject } from './subject.ts';

interface FailureContext {
  readonly subject: Subject;
  readonly source: string;
  readonly collection: Collection;
}

/** A failing parser is a defect of ours. The analysis continues and carries a tag for it. */
export function tagFailure(cause: unknown, { subject, source, collection }: FailureContext): void {
  const note = cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause);
  const tag = isOutOfMemory(cause) ? 'LIMIT_EXCEEDED' : 'PARSER_FAILED';
  collection.tag(subject, source, tag, GENERAL_TAGS[tag][0], { note });
}

/** Failed allocations of Buffers and of WebAssembly memory are both range errors. */
function isOutOfMemory(cause: unknown): boolean {
  return cause instanceof RangeError && /allocat|memory/i.test(cause.message);
}
