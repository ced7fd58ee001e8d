import type { BucketLocation } from '../config/locations.ts';
import type { IncomingSample, SampleFiles } from '../ports/sample-files.ts';
import { Bucket, type Patience } from './bucket.ts';
import { placeOf } from './object-key.ts';
import { probeBucket } from './probe.ts';
import { readSealed } from './sealed.ts';
import { openSpool, type Spool, type SpooledFile } from './spool.ts';

export interface BucketOptions {
  /** The folder for samples that are still arriving. */
  readonly incoming: string;
  /** Whether to find out at once that the bucket can be used. */
  readonly probe: boolean;
  /** Called before anything is written to the disk. */
  readonly makeFolders?: (() => void) | undefined;
  readonly patience?: Patience;
}

/**
 * Samples in a bucket, as `<prefix>/ab/cd/<sha256>`, sealed as in a folder. What is being received stands on the disk until
 * it is whole: only then its name is known, and an object cannot be renamed.
 */
export async function openSampleBucket(
  place: BucketLocation,
  { incoming, probe, makeFolders, patience }: BucketOptions,
): Promise<SampleFiles> {
  const bucket = new Bucket(place, patience);
  if (probe) await probeBucket(bucket, place);
  makeFolders?.();
  return new SampleBucket(bucket, place.prefix, await openSpool(incoming));
}

class SampleBucket implements SampleFiles {
  readonly #bucket: Bucket;
  readonly #prefix: string;
  readonly #spool: Spool;
  /** What is on its way, by key. */
  readonly #sending = new Map<string, Promise<void>>();

  constructor(bucket: Bucket, prefix: string, spool: Spool) {
    this.#bucket = bucket;
    this.#prefix = prefix;
    this.#spool = spool;
  }

  async receive(): Promise<IncomingSample> {
    const file = await this.#spool.receive();
    return {
      write: (piece) => file.write(piece),
      keep: async (sha256) => {
        await this.#send(this.#keyOf(sha256), file);
        await file.discard();
      },
      discard: () => file.discard(),
    };
  }

  async read(sha256: string): Promise<AsyncIterable<Buffer> | undefined> {
    const key = this.#keyOf(sha256);
    // Opened by whoever iterates: nothing stays open where nobody does.
    return (await this.#bucket.has(key)) ? this.#read(key, sha256) : undefined;
  }

  async has(sha256: string): Promise<boolean> {
    return this.#bucket.has(this.#keyOf(sha256));
  }

  async remove(sha256: string): Promise<void> {
    await this.#bucket.remove(this.#keyOf(sha256));
  }

  /** Parts that a crash has left in the bucket are removed by a rule of the bucket. */
  sweep(): Promise<void> {
    return this.#spool.sweep();
  }

  async *#read(key: string, sha256: string): AsyncGenerator<Buffer> {
    const object = await this.#bucket.get(key);
    try {
      yield* readSealed((length) => object.take(length), sha256);
    } finally {
      object.close();
    }
  }

  /** Over what is there already: it is the same, or was damaged. The same from several at once is sent once. */
  async #send(key: string, file: SpooledFile): Promise<void> {
    for (let same = this.#sending.get(key); same !== undefined; same = this.#sending.get(key)) {
      const isSent = await same.then(
        () => true,
        () => false,
      );
      if (isSent) return;
    }
    const sending = this.#bucket.put(key, file).finally(() => this.#sending.delete(key));
    this.#sending.set(key, sending);
    await sending;
  }

  #keyOf(sha256: string): string {
    const place = placeOf(sha256);
    return this.#prefix === '' ? place : `${this.#prefix}/${place}`;
  }
}
