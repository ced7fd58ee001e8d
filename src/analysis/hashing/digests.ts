import { createHash, hash } from 'node:crypto';
import { createBLAKE3, type IHasher } from 'hash-wasm';
import type { FileDigests } from '../../ports/analyser.ts';
import type { Digester } from '../../ports/digester.ts';

/**
 * BLAKE3 hashers that are free. Each is a WebAssembly instance with memory of its own: made anew for each of
 * ten thousand small files, they would take longer than the hashing.
 */
const free: IHasher[] = [];
const MOST_FREE = 16;

/** A digester of one file. One that is never asked for its digests (an upload broke off) is just dropped. */
export async function openDigester(): Promise<Digester> {
  return new OnePassDigester(await takeBlake3());
}

/** For what is in memory already: a call for each digest, without an object that has to be fed. */
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
  /** Gone once it is finished: it may be hashing another file by then. */
  #blake3: IHasher | undefined;

  constructor(blake3: IHasher) {
    this.#blake3 = blake3;
  }

  update(piece: Uint8Array): void {
    this.#open().update(piece);
    this.#md5.update(piece);
    this.#sha1.update(piece);
    this.#sha256.update(piece);
    this.#sha512.update(piece);
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
    if (this.#blake3 === undefined) throw new Error('The digests were taken already');
    return this.#blake3;
  }
}

async function takeBlake3(): Promise<IHasher> {
  return (free.pop() ?? (await createBLAKE3())).init();
}

function finish(blake3: IHasher): string {
  const digest = blake3.digest();
  if (free.length < MOST_FREE) free.push(blake3);
  return digest;
}
