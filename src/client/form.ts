/** A body as `fetch` takes it, and its content type where `fetch` does not know it by itself. */
export interface FormBody {
  readonly body: FormData | ReadableStream<Uint8Array>;
  readonly type?: string;
}

export interface FileToSend {
  readonly file: Blob | ReadableStream<Uint8Array>;
  readonly fileName: string;
  /** Told how many bytes of the file have gone out so far. */
  readonly onProgress?: ((sentBytes: number) => void) | undefined;
}

/**
 * A form with one file. A blob goes as a form of the platform's own, which works in every browser. What is to be
 * watched, and what is a stream, becomes a stream: Node sends those everywhere, browsers only over HTTP/2.
 */
export function fileForm({ file, fileName, onProgress }: FileToSend): FormBody {
  if (file instanceof Blob && onProgress === undefined) {
    const form = new FormData();
    form.set('file', file, fileName);
    return { body: form };
  }
  const pieces: AsyncIterable<Uint8Array> = file instanceof Blob ? file.stream() : file;
  const boundary = `rapsheet-${crypto.getRandomValues(new Uint32Array(4)).join('-')}`;
  return {
    type: `multipart/form-data; boundary=${boundary}`,
    body: toStream(written(pieces, { boundary, fileName, onProgress: onProgress ?? (() => {}) })),
  };
}

interface Writing {
  readonly boundary: string;
  readonly fileName: string;
  readonly onProgress: (sentBytes: number) => void;
}

async function* written(
  pieces: AsyncIterable<Uint8Array>,
  { boundary, fileName, onProgress }: Writing,
): AsyncGenerator<Uint8Array> {
  const text = new TextEncoder();
  yield text.encode(
    `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${escapeName(fileName)}"\r\nContent-Type: application/octet-stream\r\n\r\n`,
  );
  let sentBytes = 0;
  for await (const piece of pieces) {
    yield piece;
    sentBytes += piece.byteLength;
    onProgress(sentBytes);
  }
  yield text.encode(`\r\n--${boundary}--\r\n`);
}

/** As browsers do it. */
function escapeName(name: string): string {
  return name.replaceAll('\r', '%0D').replaceAll('\n', '%0A').replaceAll('"', '%22');
}

/** `ReadableStream.from` is not in every browser. */
function toStream(pieces: AsyncGenerator<Uint8Array>): ReadableStream<Uint8Array> {
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await pieces.next();
      if (done === true) controller.close();
      else controller.enqueue(value);
    },
    async cancel() {
      await pieces.return(undefined);
    },
  });
}
