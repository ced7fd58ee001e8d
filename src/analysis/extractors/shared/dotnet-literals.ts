import { parseDotnet } from '../../formats/dotnet/file.ts';
import type { Subject } from '../../subject.ts';
import { isDotnet } from './dotnet-settings.ts';

/** Tokens have 24 bits for the place of a literal: behind that no program can reach one. */
const LARGEST_HEAP = 1 << 24;

/** Texts as they lie in the heap of literals, made once: two bytes a sign. */
export function literals(...texts: readonly string[]): readonly Buffer[] {
  return texts.map((text) => Buffer.from(text, 'utf16le'));
}

/**
 * Whether one of these stands in the program's literals, alone or in a longer one: a question for `matches`
 * where names may be gone. It looks at that heap alone, as it lies, and decodes nothing.
 */
export function hasLiteral(subject: Subject, wanted: readonly Buffer[]): boolean {
  const file = isDotnet(subject) ? subject.as(parseDotnet) : undefined;
  if (file === undefined) return false;
  const isHeap = ({ name }: { readonly name: string }) => name === '#US';
  const { streams } = file.metadata;
  // Which of several the runtime takes depends on the tables; a file may state dozens.
  const heaps = new Set([streams.find(isHeap), streams.findLast(isHeap)]);
  return [...heaps].some((stream) => {
    if (stream === undefined) return false;
    const size = Math.min(stream.size, LARGEST_HEAP);
    const heap = subject.bytes.subarray(stream.offset, stream.offset + size);
    return wanted.some((text) => heap.includes(text));
  });
}
