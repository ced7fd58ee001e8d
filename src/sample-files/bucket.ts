import { Readable } from 'node:stream';
import type { S3 } from '@aws-sdk/client-s3';
import type { BucketLocation } from '../config/locations.ts';
import { Problem } from '../domain/problem.ts';
import { type Content, PART_BYTES, uploadInParts } from './multipart.ts';
import { Semaphore } from './semaphore.ts';

const CONNECT_MS = 3000;
/** One attempt, until its response begins. A part must be sent within that time. */
const ATTEMPT_MS = 60_000;
const ATTEMPTS = 3;

export interface BucketTimeouts {
  /** For all attempts of a small call together. */
  readonly callMs: number;
  /** For the next bytes of an object that is being read. */
  readonly stallMs: number;
}

const TIMEOUTS: BucketTimeouts = { callMs: 15_000, stallMs: 30_000 };

/** A slower upload counts as an outage of the bucket. */
const MIN_BYTES_PER_SECOND = 1024 * 1024;
const RETRY_AFTER_SECONDS = 5;
/** Bounds the parts in memory over all concurrent uploads. */
const MAX_PARTS_IN_MEMORY = 4;
/** A slow download holds its socket. With the default of 50, 50 of them would block all others. */
const MAX_SOCKETS = 1000;
const CONTENT_TYPE = 'application/octet-stream';

/** An error of the bucket or of the connection to it. It holds no part of the request. */
export class BucketFault extends Error {
  readonly code: string;
  readonly status: number | undefined;

  constructor(cause: unknown) {
    const { name, code, message, $metadata } = cause as Partial<
      NodeJS.ErrnoException & { $metadata: { httpStatusCode?: number } }
    >;
    const status = $metadata?.httpStatusCode;
    const faultCode = (status === undefined ? (code ?? name) : name) ?? 'unknown';
    super(`${faultCode}: ${oneLine(message ?? String(cause))}`);
    this.code = faultCode;
    this.status = status;
  }
}

/** The objects of one bucket, by key. Rejects with the problem `unavailable` in an outage. */
export class Bucket {
  readonly #location: BucketLocation;
  readonly #timeouts: BucketTimeouts;
  readonly #semaphore = new Semaphore(MAX_PARTS_IN_MEMORY);
  #s3: Promise<S3> | undefined;

  constructor(location: BucketLocation, timeouts = TIMEOUTS) {
    this.#location = location;
    this.#timeouts = timeouts;
  }

  async has(key: string): Promise<boolean> {
    const Bucket = this.#location.bucket;
    return this.#call(async (s3, abortSignal) => {
      if (!(await isMissing(s3.headObject({ Bucket, Key: key }, { abortSignal })))) return true;
      // A HEAD response has no body, and is the same if the whole bucket is missing.
      await s3.headBucket({ Bucket }, { abortSignal });
      return false;
    });
  }

  /** Opens an object for reading. The caller must close it. */
  async get(key: string): Promise<ObjectReader> {
    const Bucket = this.#location.bucket;
    const { Body } = await this.#call((s3, abortSignal) =>
      s3.getObject({ Bucket, Key: key }, { abortSignal }),
    );
    if (!(Body instanceof Readable)) throw new Error('the body of an object is not a stream');
    return new ObjectReader(Body, this.#timeouts.stallMs);
  }

  /** Creates or replaces the object. It appears whole or not at all. */
  async put(key: string, content: Content): Promise<void> {
    const timeoutMs = this.#timeouts.callMs + (content.sizeBytes / MIN_BYTES_PER_SECOND) * 1000;
    const object = { Bucket: this.#location.bucket, Key: key, ContentType: CONTENT_TYPE };
    await this.#call(async (s3, abortSignal) => {
      if (content.sizeBytes > PART_BYTES)
        return uploadInParts(s3, object, content, { abortSignal, semaphore: this.#semaphore });
      await this.#semaphore.run(async () => {
        abortSignal.throwIfAborted();
        const Body = await content.read(0, content.sizeBytes);
        await s3.putObject({ ...object, Body }, { abortSignal });
      });
    }, timeoutMs);
  }

  /** Succeeds if the object does not exist. */
  async remove(key: string): Promise<void> {
    const Bucket = this.#location.bucket;
    await this.#call((s3, abortSignal) => s3.deleteObject({ Bucket, Key: key }, { abortSignal }));
  }

  async #call<Result>(
    work: (s3: S3, abortSignal: AbortSignal) => Promise<Result>,
    timeoutMs = this.#timeouts.callMs,
  ): Promise<Result> {
    this.#s3 ??= openClient(this.#location);
    const s3 = await this.#s3;
    const timeout = new AbortController();
    // Not `AbortSignal.timeout`: it cannot be cancelled, and would end a download that is in
    // progress.
    const timer = setTimeout(() => timeout.abort(), timeoutMs);
    try {
      return await work(s3, timeout.signal);
    } catch (cause) {
      throw outage(
        timeout.signal.aborted ? new Error(`no answer in ${Math.round(timeoutMs)} ms`) : cause,
      );
    } finally {
      clearTimeout(timer);
    }
  }
}

/** Loaded on demand: without a bucket, the SDK would only slow down the start. */
async function openClient({ endpoint, region, credentials }: BucketLocation): Promise<S3> {
  const { S3 } = await import('@aws-sdk/client-s3');
  const agent = { maxSockets: MAX_SOCKETS };
  return new S3({
    region,
    // A bucket in the host name needs DNS names and certificates that few stores but AWS have.
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
    // Not every store supports the newer checksums. The signature covers what is sent, the SHA-256
    // what is read.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  });
}

/** Reads a stream on demand, so that memory does not depend on the size of the object. */
class ObjectReader {
  readonly #stream: Readable;
  readonly #stallMs: number;
  readonly #chunks: AsyncIterator<Buffer>;
  #buffered: Buffer = Buffer.alloc(0);

  constructor(stream: Readable, stallMs: number) {
    this.#stream = stream;
    this.#stallMs = stallMs;
    this.#chunks = stream[Symbol.asyncIterator]();
  }

  /**
   * Returns that many bytes, or fewer at the end. An interrupted transfer is an error, not an end.
   */
  async read(length: number): Promise<Buffer> {
    const parts: Buffer[] = [];
    let missing = length;
    while (missing > 0) {
      if (this.#buffered.length === 0) {
        const chunk = await this.#next();
        if (chunk === undefined) break;
        this.#buffered = chunk;
      }
      const part = this.#buffered.subarray(0, missing);
      this.#buffered = this.#buffered.subarray(part.length);
      missing -= part.length;
      parts.push(part);
    }
    return Buffer.concat(parts);
  }

  /** May be called before the end: it frees the connection. */
  close(): void {
    this.#stream.destroy();
  }

  async #next(): Promise<Buffer | undefined> {
    const timer = setTimeout(
      () => this.#stream.destroy(new Error('the transfer of the object stalled')),
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

async function isMissing(request: Promise<unknown>): Promise<boolean> {
  try {
    await request;
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
