import { ZipWriter } from '@zip.js/zip.js';

/** The one file in the archive. Its bytes may come from anywhere, in pieces. */
export interface ZipMember {
  readonly name: string;
  readonly sizeBytes: number;
  readonly bytes: AsyncIterable<Uint8Array>;
}

/**
 * A ZIP archive of one file under a password, as samples are customarily handed on: the traditional
 * encryption keeps nobody out, but it keeps virus scanners and double clicks away, and every unpacker knows it.
 * It is made as it is read, in constant memory. Where the source fails or has not the size that was stated, the
 * archive fails too: it is never cut short so that it looks whole.
 */
export async function* encryptedZip(
  member: ZipMember,
  password: string,
): AsyncGenerator<Uint8Array, void> {
  const pipe = new TransformStream<Uint8Array, Uint8Array>();
  const output = pipe.writable.getWriter();
  const writing = write(member, password, output).catch((cause: unknown) => output.abort(cause));
  try {
    yield* pipe.readable;
  } finally {
    // Whoever stops reading makes writing fail, and so the source is let go of.
    await writing.catch(() => undefined);
  }
}

async function write(
  member: ZipMember,
  password: string,
  output: WritableStreamDefaultWriter<Uint8Array>,
): Promise<void> {
  // The stream in between lets us keep hold of the output, to end it with an error.
  const target = new WritableStream<Uint8Array>({
    write: (piece) => output.write(piece),
  });
  const zip = new ZipWriter<unknown>(target, {
    // The library leaves out the encryption's own header where there is no content, and unpackers object.
    ...(member.sizeBytes > 0 && { password, zipCrypto: true }),
    // Samples are mostly packed already, and the encryption alone is quick.
    level: 0,
    useWebWorkers: false,
    bufferedWrite: false,
    keepOrder: true,
  });
  await zip.add(member.name, ReadableStream.from(wholeOf(member)), {
    // Spares the 64-bit fields, which old unpackers do not know.
    uncompressedSize: member.sizeBytes,
    // A sample has no time of its own that we know.
    lastModDate: new Date(1980, 0, 1),
    extendedTimestamp: false,
  });
  await zip.close();
  await output.close();
}

async function* wholeOf({ bytes, sizeBytes }: ZipMember): AsyncGenerator<Uint8Array, void> {
  let count = 0;
  for await (const piece of bytes) {
    count += piece.length;
    yield piece;
  }
  if (count !== sizeBytes) throw new Error(`the file has ${count} bytes, not ${sizeBytes}`);
}
