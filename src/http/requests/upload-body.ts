import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { Busboy, type BusboyFileStream, type BusboyInstance } from '@fastify/busboy';
import { invalid, Problem } from '../../domain/problem.ts';
import type { Upload } from '../../operations/samples/submit-sample.ts';

/** The only field of the form. */
const FIELD = 'file';
/** The parts of a body that are not the file: boundaries, part headers, a preamble. */
export const FORM_OVERHEAD_BYTES = 64 * 1024;
/**
 * RFC 7578, section 4.7, deprecates all other encodings. With them, the bytes would not be those of
 * the file.
 */
const PLAIN_ENCODINGS = ['7bit', '8bit', 'binary'];
/**
 * Only one part is expected. The parser skips parts without a name, and millions of them fit into
 * the body of a large file.
 */
const LIMITS = { headerPairs: 32, headerSize: 16 * 1024, parts: 4 };

export interface ArrivingUpload extends Upload {
  /**
   * Must be called when the file is no longer read, even if reading never started. The remaining
   * body is discarded.
   */
  discard(): void;
}

/**
 * Reads a form with one file. The file is streamed with backpressure. Its last chunk is followed by
 * an error if the form is malformed or holds another part. On failure the remaining body is read
 * and discarded, so that the client receives the response.
 */
export async function readUpload(
  headers: IncomingHttpHeaders,
  body: Readable | undefined,
  limitBytes: number,
): Promise<ArrivingUpload> {
  if (body === undefined) throw fileIsMissing();
  const form = new FileForm(openBusboy(headers));
  void form.feed(body, limitBytes + FORM_OVERHEAD_BYTES, limitBytes);
  return form.upload;
}

class FileForm {
  readonly #busboy: BusboyInstance;
  readonly #first = Promise.withResolvers<ArrivingUpload>();
  readonly #whole = Promise.withResolvers<void>();
  #file: BusboyFileStream | undefined;
  #failure: Problem | undefined;
  /** Resolves a write whose callback the parser will never call. */
  #release: () => void = () => undefined;

  constructor(busboy: BusboyInstance) {
    this.#busboy = busboy;
    // The reader of the file receives the error; there may be none any more.
    this.#first.promise.catch(() => undefined);
    this.#whole.promise.catch(() => undefined);
    busboy.on('file', (field, file, fileName, encoding) =>
      this.#acceptPart({ field, file, fileName, encoding }),
    );
    busboy.on('finish', () => {
      this.#first.reject(fileIsMissing());
      this.#whole.resolve();
    });
    busboy.on('partsLimit', () => this.#fail(onePartOnly('A part without a name')));
    busboy.on('error', (cause) => this.#fail(new Problem('malformed_multipart', { cause })));
  }

  get upload(): Promise<ArrivingUpload> {
    return this.#first.promise;
  }

  async feed(body: Readable, maxBytes: number, limit: number): Promise<void> {
    let bytes = 0;
    try {
      // The connection must stay open for the response.
      for await (const piece of body.iterator({ destroyOnReturn: false })) {
        bytes += piece.length;
        if (bytes > maxBytes) this.#fail(new Problem('body_too_large', { parameters: { limit } }));
        if (this.#failure !== undefined) break;
        await this.#write(piece);
      }
      if (this.#failure === undefined) this.#busboy.end();
    } catch (cause) {
      // A `Problem` means that the permission of the caller was revoked.
      this.#fail(cause instanceof Problem ? cause : new Problem('malformed_request', { cause }));
    }
    body.resume();
  }

  #write(piece: Buffer): Promise<void> {
    return new Promise((resolve) => {
      this.#release = resolve;
      this.#busboy.write(piece, () => resolve());
    });
  }

  #acceptPart({ field, file, fileName, encoding }: Part): void {
    // `#fail` reports its errors. Without a listener they would end the process.
    file.on('error', () => undefined);
    const refusal = this.#refusalOf(field, encoding);
    if (refusal !== undefined) {
      file.resume();
      this.#fail(refusal);
      return;
    }
    this.#file = file;
    this.#first.resolve({ fileName, bytes: this.#bytesOf(file), discard: () => this.#discard() });
  }

  #refusalOf(field: string | undefined, encoding: string): Problem | undefined {
    if (field !== FIELD) {
      return onePartOnly(
        field === undefined ? 'A part without a name' : JSON.stringify(field.slice(0, 64)),
      );
    }
    if (this.#file !== undefined)
      return invalid('invalid_body', [`${FIELD} must be given once: one file per request.`]);
    if (!PLAIN_ENCODINGS.includes(encoding))
      return invalid('invalid_body', [`${FIELD} must be sent as it is, without encoding.`]);
    return undefined;
  }

  async *#bytesOf(file: BusboyFileStream): AsyncGenerator<Uint8Array> {
    try {
      yield* file;
      await this.#whole.promise;
    } catch (cause) {
      // The parser wraps errors that `#fail` has recorded already.
      throw this.#failure ?? new Problem('malformed_multipart', { cause });
    } finally {
      this.#discard();
    }
  }

  /** Called when the file was read or is no longer needed. */
  #discard(): void {
    this.#fail(new Problem('malformed_request'));
  }

  /** Only the first failure is recorded. */
  #fail(problem: Problem): void {
    if (this.#failure !== undefined) return;
    this.#failure = problem;
    this.#first.reject(problem);
    this.#whole.reject(problem);
    this.#file?.destroy(problem);
    this.#release();
  }
}

interface Part {
  readonly field: string | undefined;
  readonly file: BusboyFileStream;
  readonly fileName: string | undefined;
  readonly encoding: string;
}

function openBusboy(headers: IncomingHttpHeaders): BusboyInstance {
  try {
    return new Busboy({
      headers: { ...headers, 'content-type': headers['content-type'] ?? '' },
      limits: LIMITS,
      // Every part is streamed, so that none is buffered in memory.
      isPartAFile: () => true,
      preservePath: true,
    });
  } catch (cause) {
    throw new Problem('malformed_multipart', { cause });
  }
}

function onePartOnly(other: string): Problem {
  return invalid('invalid_body', [`${other} is not known here; the one part is ${FIELD}.`]);
}

export function fileIsMissing(): Problem {
  return invalid('invalid_body', [
    `${FIELD} is missing; it must be the one part of the form, with the file in it.`,
  ]);
}
