import { Readable } from 'node:stream';
import type { S3 } from '@aws-sdk/client-s3';
import type { BucketLocation } from '../config/locations.ts';
import { Problem } from '../domain/problem.ts';
import { type Content, PART_BYTES, sendInParts } from './multipart.ts';
import { Slots } from './slots.ts';

const CONNECT_MS = 3000;
/** One attempt, until its answer begins: a part must get out within that. */
const ATTEMPT_MS = 60_000;
const ATTEMPTS = 3;

/** How long is waited. */
export interface Patience {
  /** For all attempts of a small call together. */
  readonly callMs: number;
  /** For more of an object, in the middle of it. */
  readonly stallMs: number;
}

const PATIENCE: Patience = { callMs: 15_000, stallMs: 30_000 };

/** A bucket that takes fewer bytes a second is as good as away. */
const LEAST_BYTES_PER_SECOND = 1024 * 1024;
const RETRY_AFTER_SECONDS = 5;
/** That many parts are in memory at most, however many upload at once. */
const PARTS_AT_ONCE = 4;
/** Whoever downloads slowly keeps a connection; the usual 50 would be taken by 50 of them. */
const MOST_SOCKETS = 1000;
const CONTENT_TYPE = 'application/octet-stream';

/** What a bucket, or the way to it, has answered instead of what was asked for. It holds nothing of the request. */
export class BucketFault extends Error {
  readonly code: string;
  readonly status: number | undefined;

  constructor(cause: unknown) {
    const { name, code, message, $metadata } = cause as Partial<
      NodeJS.ErrnoException & { $metadata: { httpStatusCode?: number } }
    >;
    const status = $metadata?.httpStatusCode;
    const said = status === undefined ? (code ?? name) : name;
    super(`${said ?? 'unknown'}: ${oneLine(message ?? String(cause))}`);
    this.code = said ?? 'unknown';
    this.status = status;
  }
}

/** Objects of one bucket by their keys. Rejects with the problem `unavailable` where it cannot be reached. */
export class Bucket {
  readonly #place: BucketLocation;
  readonly #patience: Patience;
  readonly #slots = new Slots(PARTS_AT_ONCE);
  #s3: Promise<S3> | undefined;

  constructor(place: BucketLocation, patience = PATIENCE) {
    this.#place = place;
    this.#patience = patience;
  }

  async has(key: string): Promise<boolean> {
    const Bucket = this.#place.bucket;
    return this.#call(async (s3, abortSignal) => {
      if (!(await isMissing(s3.headObject({ Bucket, Key: key }, { abortSignal })))) return true;
      // The answer to HEAD has no body, and is the same where the whole bucket is gone.
      await s3.headBucket({ Bucket }, { abortSignal });
      return false;
    });
  }

  /** The bytes of an object, to be taken one after the other; `close` must follow. */
  async get(key: string): Promise<Taker> {
    const Bucket = this.#place.bucket;
    const { Body } = await this.#call((s3, abortSignal) =>
      s3.getObject({ Bucket, Key: key }, { abortSignal }),
    );
    if (!(Body instanceof Readable)) throw new Error('the body of an object is no stream');
    return new Taker(Body, this.#patience.stallMs);
  }

  /** Appears whole, over what is there, or not at all. */
  async put(key: string, content: Content): Promise<void> {
    const patienceMs = this.#patience.callMs + (content.sizeBytes / LEAST_BYTES_PER_SECOND) * 1000;
    const object = { Bucket: this.#place.bucket, Key: key, ContentType: CONTENT_TYPE };
    await this.#call(async (s3, abortSignal) => {
      if (content.sizeBytes > PART_BYTES)
        return sendInParts(s3, object, content, { abortSignal, slots: this.#slots });
      await this.#slots.use(async () => {
        abortSignal.throwIfAborted();
        const Body = await content.read(0, content.sizeBytes);
        await s3.putObject({ ...object, Body }, { abortSignal });
      });
    }, patienceMs);
  }

  /** No error where it is not there. */
  async remove(key: string): Promise<void> {
    const Bucket = this.#place.bucket;
    await this.#call((s3, abortSignal) => s3.deleteObject({ Bucket, Key: key }, { abortSignal }));
  }

  async #call<Result>(
    work: (s3: S3, abortSignal: AbortSignal) => Promise<Result>,
    patienceMs = this.#patience.callMs,
  ): Promise<Result> {
    this.#s3 ??= openClient(this.#place);
    const s3 = await this.#s3;
    const patience = new AbortController();
    // Not `AbortSignal.timeout`: that one could not be called off, and would end a download that is well under way.
    const timer = setTimeout(() => patience.abort(), patienceMs);
    try {
      return await work(s3, patience.signal);
    } catch (cause) {
      throw outage(
        patience.signal.aborted ? new Error(`no answer in ${Math.round(patienceMs)} ms`) : cause,
      );
    } finally {
      clearTimeout(timer);
    }
  }
}

/** Loaded by whoever has a bucket: all others would pay for it at every start. */
async function openClient({ endpoint, region, credentials }: BucketLocation): Promise<S3> {
  const { S3 } = await import('@aws-sdk/client-s3');
  const agent = { maxSockets: MOST_SOCKETS };
  return new S3({
    region,
    // A bucket as part of the host name needs names and certificates that few but AWS have.
    ...(endpoint === undefined ? {} : { endpoint, forcePathStyle: true }),
    ...(credentials === undefined ? {} : { credentials }),
    maxAttempts: ATTEMPTS,
    requestHandler: {
      connectionTimeout: CONNECT_MS,
      requestTimeout: ATTEMPT_MS,
      throwOnRequestTimeout: true,
      httpAgent: agent,
      httpsAgent: agent,
    },
    // Not every store knows the newer checksums. What is sent is covered by its signature, what is read by its hash.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  });
}

/** Gives out the bytes of a stream as they are wanted, so that memory does not depend on their number. */
class Taker {
  readonly #stream: Readable;
  readonly #stallMs: number;
  readonly #chunks: AsyncIterator<Buffer>;
  #left: Buffer = Buffer.alloc(0);

  constructor(stream: Readable, stallMs: number) {
    this.#stream = stream;
    this.#stallMs = stallMs;
    this.#chunks = stream[Symbol.asyncIterator]();
  }

  /** So many bytes, or what is left. A transfer that was cut is an error, not an end. */
  async take(length: number): Promise<Buffer> {
    const taken: Buffer[] = [];
    let missing = length;
    while (missing > 0) {
      if (this.#left.length === 0) {
        const chunk = await this.#next();
        if (chunk === undefined) break;
        this.#left = chunk;
      }
      const part = this.#left.subarray(0, missing);
      this.#left = this.#left.subarray(part.length);
      missing -= part.length;
      taken.push(part);
    }
    return Buffer.concat(taken);
  }

  /** Also in the middle: the connection is not kept waiting. */
  close(): void {
    this.#stream.destroy();
  }

  async #next(): Promise<Buffer | undefined> {
    const timer = setTimeout(
      () => this.#stream.destroy(new Error('no more of the object came')),
      this.#stallMs,
    );
    try {
      const { done, value } = await this.#chunks.next();
      return done ? undefined : value;
    } catch (cause) {
      throw outage(cause);
    } finally {
      clearTimeout(timer);
    }
  }
}

async function isMissing(asked: Promise<unknown>): Promise<boolean> {
  try {
    await asked;
    return false;
  } catch (cause) {
    if (new BucketFault(cause).status === 404) return true;
    throw cause;
  }
}

function outage(cause: unknown): Problem {
  if (cause instanceof Problem) return cause;
  return new Problem('unavailable', {
    cause: new BucketFault(cause),
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}

function oneLine(text: string): string {
  return text
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .slice(0, 300);
}
