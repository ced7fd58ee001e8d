import type { BucketLocation } from '../config/locations.ts';
import type { IncomingSample, SampleFiles } from '../ports/sample-files.ts';
import { Bucket, type BucketTimeouts } from './bucket.ts';
import { objectKeyOf } from './object-key.ts';
import { type OnOutage, probeBucket } from './probe.ts';
import { readSealed } from './sealed.ts';
import { openSpool, type Spool, type SpooledFile } from './spool.ts';

export interface BucketOptions {
  /** The folder for incomplete uploads. */
  readonly incoming: string;
  /** Whether to test the bucket now. */
  readonly probe: boolean;
  /** Called if the bucket gives no answer to the test. Without it, an outage is an error. */
  readonly onOutage?: OnOutage | undefined;
  /** Called before the first write to the disk. */
  readonly makeFolders?: (() => void) | undefined;
  readonly timeouts?: BucketTimeouts;
}

/**
 * Stores samples in a bucket as `<prefix>/ab/cd/<sha256>`, in the same form as in a folder. An
 * upload is spooled to the disk first: its key is known only at its end, and an object cannot be
 * renamed.
 */
export async function openSampleBucket(
  location: BucketLocation,
  { incoming, probe, onOutage, makeFolders, timeouts }: BucketOptions,
): Promise<SampleFiles> {
  const bucket = new Bucket(location, timeouts);
  if (probe) await probeBucket(bucket, location, onOutage);
  makeFolders?.();
  return new SampleBucket(bucket, location.prefix, await openSpool(incoming));
}

class SampleBucket implements SampleFiles {
  readonly #bucket: Bucket;
  readonly #prefix: string;
  readonly #spool: Spool;
  /** Uploads to the bucket in progress, by key. */
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
    // The object is opened by the iteration: without one, no connection stays open.
    return (await this.#bucket.has(key)) ? this.#read(key, sha256) : undefined;
  }

  async has(sha256: string): Promise<boolean> {
    return this.#bucket.has(this.#keyOf(sha256));
  }

  async remove(sha256: string): Promise<void> {
    await this.#bucket.remove(this.#keyOf(sha256));
  }

  /** Parts that a crash left in the bucket are removed by a lifecycle rule of the bucket. */
  sweep(): Promise<void> {
    return this.#spool.sweep();
  }

  async *#read(key: string, sha256: string): AsyncGenerator<Buffer> {
    const object = await this.#bucket.get(key);
    try {
      yield* readSealed((length) => object.read(length), sha256);
    } finally {
      object.close();
    }
  }

  /**
   * Replaces an existing object, which has the same content or is damaged. Concurrent uploads of
   * the same sample are sent once.
   */
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
    const key = objectKeyOf(sha256);
    return this.#prefix === '' ? key : `${this.#prefix}/${key}`;
  }
}
