/** A request body, with its content type if `fetch` cannot derive it. */
export interface FormBody {
  readonly body: FormData | ReadableStream<Uint8Array>;
  readonly type?: string;
}

export interface FileToSend {
  readonly file: Blob | ReadableStream<Uint8Array>;
  readonly fileName: string;
  /** Called with the number of bytes of the file sent so far. */
  readonly onProgress?: ((sentBytes: number) => void) | undefined;
}

/**
 * A form with one file. A blob is sent as `FormData`, which works in every browser. With a progress
 * callback, and for a stream, the form is streamed: Node always supports that, browsers only over
 * HTTP/2.
 */
export function fileForm({ file, fileName, onProgress }: FileToSend): FormBody {
  if (file instanceof Blob && onProgress === undefined) {
    const form = new FormData();
    form.set('file', file, fileName);
    return { body: form };
  }
  const chunks: AsyncIterable<Uint8Array> = file instanceof Blob ? file.stream() : file;
  const boundary = `rapsheet-${crypto.getRandomValues(new Uint32Array(4)).join('-')}`;
  return {
    type: `multipart/form-data; boundary=${boundary}`,
    body: toStream(
      encodeForm(chunks, { boundary, fileName, onProgress: onProgress ?? (() => {}) }),
    ),
  };
}

interface FormOptions {
  readonly boundary: string;
  readonly fileName: string;
  readonly onProgress: (sentBytes: number) => void;
}

async function* encodeForm(
  chunks: AsyncIterable<Uint8Array>,
  { boundary, fileName, onProgress }: FormOptions,
): AsyncGenerator<Uint8Array> {
  const text = new TextEncoder();
  yield text.encode(
    `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${escapeName(fileName)}"\r\nContent-Type: application/octet-stream\r\n\r\n`,
  );
  let sentBytes = 0;
  for await (const chunk of chunks) {
    yield chunk;
    sentBytes += chunk.byteLength;
    onProgress(sentBytes);
  }
  yield text.encode(`\r\n--${boundary}--\r\n`);
}

/** The escaping that browsers use. */
function escapeName(name: string): string {
  return name.replaceAll('\r', '%0D').replaceAll('\n', '%0A').replaceAll('"', '%22');
}

/** `ReadableStream.from` is not in every browser. */
function toStream(chunks: AsyncGenerator<Uint8Array>): ReadableStream<Uint8Array> {
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await chunks.next();
      if (done === true) controller.close();
      else controller.enqueue(value);
    },
    async cancel() {
      await chunks.return(undefined);
    },
  });
}
