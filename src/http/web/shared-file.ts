import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Encoding } from './accept-encoding.ts';
import type { FileContent, PublicFile } from './send-file.ts';

/**
 * The largest file of the reference, 1.7 MB, takes 40 ms once. The best quality takes 4 s and saves
 * a tenth.
 */
const BROTLI_QUALITY = 5;

const COMPRESSORS: Readonly<Record<Encoding, (bytes: Buffer) => Promise<Buffer>>> = {
  br: (bytes) =>
    promisify(brotliCompress)(bytes, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
        [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
      },
    }),
  gzip: (bytes) => promisify(gzip)(bytes),
};

/**
 * A file that does not change while the server runs. Each form of it is produced at its first
 * request, outside of the event loop, and kept.
 */
export class SharedFile implements PublicFile {
  readonly type: string;
  readonly encodings: readonly Encoding[];
  readonly #load: () => Promise<Buffer>;
  readonly #contents = new Map<Encoding | undefined, Promise<FileContent>>();

  constructor(type: string, load: () => Promise<Buffer>) {
    this.type = type;
    this.encodings = isCompressible(type) ? ['br', 'gzip'] : [];
    this.#load = load;
  }

  async read(encoding: Encoding | undefined): Promise<FileContent> {
    const content = this.#contents.get(encoding) ?? this.#produce(encoding);
    this.#contents.set(encoding, content);
    try {
      return await content;
    } catch (error) {
      this.#contents.delete(encoding);
      throw error;
    }
  }

  async #produce(encoding: Encoding | undefined): Promise<FileContent> {
    const bytes = await this.#load();
    const digest = createHash('sha256').update(bytes).digest('base64url').slice(0, 27);
    return {
      etag: `W/"${digest}"`,
      bytes: encoding === undefined ? bytes : await COMPRESSORS[encoding](bytes),
    };
  }
}

function isCompressible(type: string): boolean {
  return /^text\/|json|svg|yaml/.test(type);
}
