import { RapsheetError } from './error.ts';

/** A file of an export. */
export interface ExportedFile {
  readonly body: ReadableStream<Uint8Array>;
  /** The version, for the next call. */
  readonly etag: string | undefined;
  /** The name that the server suggests. */
  readonly fileName: string | undefined;
  readonly mediaType: string;
}

/** Enough for the last line or member of every format. */
const TAIL_BYTES = 512;

/** The ends of complete files, by their media type; the first that matches applies. */
const ENDS: readonly (readonly [type: RegExp, end: RegExp])[] = [
  [/ndjson/, /^\{"end":true,.*\}\n$/m],
  [/json/, /[\]}]\s*$/],
  [/^text\//, /^\S{0,3} ?END rows=\d+ sha256=[0-9a-f]{64}\s*$/m],
];

export function openFile(body: ReadableStream<Uint8Array>, headers: Headers): ExportedFile {
  const mediaType = headers.get('content-type') ?? '';
  const name = /filename="([^"]*)"/.exec(headers.get('content-disposition') ?? '')?.[1];
  return {
    body: body.pipeThrough(endCheck(mediaType)),
    // A compressed answer has its own tag.
    etag: headers.get('etag') ?? undefined,
    fileName: name,
    mediaType,
  };
}

/** Passes the bytes on, and fails if they do not end as the type says. */
function endCheck(mediaType: string): TransformStream<Uint8Array, Uint8Array> {
  const end = ENDS.find(([type]) => type.test(mediaType))?.[1];
  let tail = new Uint8Array();
  return new TransformStream({
    transform(piece, controller) {
      const last = piece.subarray(-TAIL_BYTES);
      const kept = tail.subarray(Math.max(0, tail.length + last.length - TAIL_BYTES));
      tail = new Uint8Array([...kept, ...last]);
      controller.enqueue(piece);
    },
    flush() {
      if (end === undefined || end.test(new TextDecoder().decode(tail))) return;
      throw new RapsheetError('The export was cut off: it does not end as a complete one does.', {
        code: 'no_answer',
      });
    },
  });
}
