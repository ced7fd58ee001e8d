import { createHash, hash } from 'node:crypto';
import { createBLAKE3, type IHasher } from 'hash-wasm';
import type { FileDigests } from '../../ports/analyser.ts';
import type { Digester } from '../../ports/digester.ts';

/**
 * Unused BLAKE3 hashers. Each is a WebAssembly instance with its own memory: creating one for every
 * small file would take longer than hashing.
 */
const free: IHasher[] = [];
const MAX_FREE = 16;

/** A digester of one file. If an upload is aborted, the digester is simply dropped. */
export async function openDigester(): Promise<Digester> {
  return new OnePassDigester(await takeBlake3());
}

/** For bytes in memory: one call per digest is faster than a streaming hash. */
export async function digestsOf(bytes: Buffer): Promise<FileDigests> {
  const blake3 = await takeBlake3();
  return {
    md5: hash('md5', bytes),
    sha1: hash('sha1', bytes),
    sha256: hash('sha256', bytes),
    sha512: hash('sha512', bytes),
    blake3: finish(blake3.update(bytes)),
  };
}

class OnePassDigester implements Digester {
  readonly #md5 = createHash('md5');
  readonly #sha1 = createHash('sha1');
  readonly #sha256 = createHash('sha256');
  readonly #sha512 = createHash('sha512');
  /** `undefined` once finished: the hasher may be in use for another file. */
  #blake3: IHasher | undefined;

  constructor(blake3: IHasher) {
    this.#blake3 = blake3;
  }

  update(chunk: Uint8Array): void {
    this.#open().update(chunk);
    this.#md5.update(chunk);
    this.#sha1.update(chunk);
    this.#sha256.update(chunk);
    this.#sha512.update(chunk);
  }

  digests(): FileDigests {
    const blake3 = finish(this.#open());
    this.#blake3 = undefined;
    return {
      md5: this.#md5.digest('hex'),
      sha1: this.#sha1.digest('hex'),
      sha256: this.#sha256.digest('hex'),
      sha512: this.#sha512.digest('hex'),
      blake3,
    };
  }

  #open(): IHasher {
    if (this.#blake3 === undefined) throw new Error('the digests are already computed');
    return this.#blake3;
  }
}

async function takeBlake3(): Promise<IHasher> {
  return (free.pop() ?? (await createBLAKE3())).init();
}

function finish(blake3: IHasher): string {
  const digest = blake3.digest();
  if (free.length < MAX_FREE) free.push(blake3);
  return digest;
}
