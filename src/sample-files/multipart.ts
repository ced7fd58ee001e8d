import type { CompletedPart, S3 } from '@aws-sdk/client-s3';
import type { Semaphore } from './semaphore.ts';

/** Larger objects are sent in parts of this size. A part is in memory while it is sent. */
export const PART_BYTES = 8 * 1024 * 1024;
const ABORT_TIMEOUT_MS = 5000;

/** The content of an object. It may be read more than once, at any offset. */
export interface Content {
  readonly sizeBytes: number;
  read(at: number, length: number): Promise<Buffer>;
}

export interface ObjectTarget {
  readonly Bucket: string;
  readonly Key: string;
  readonly ContentType: string;
}

interface TransferOptions {
  readonly semaphore: Semaphore;
  readonly abortSignal: AbortSignal;
}

/** Uploads a large object. It appears with its last part; a failed upload leaves no parts. */
export async function uploadInParts(
  s3: S3,
  object: ObjectTarget,
  content: Content,
  options: TransferOptions,
): Promise<void> {
  const { abortSignal } = options;
  const { Bucket, Key } = object;
  const { UploadId } = await s3.createMultipartUpload(object, { abortSignal });
  if (UploadId === undefined) throw new Error('the multipart upload has no id');
  const upload = { Bucket, Key, UploadId };
  try {
    const Parts = await sendParts(s3, upload, content, options);
    await s3.completeMultipartUpload({ ...upload, MultipartUpload: { Parts } }, { abortSignal });
  } catch (cause) {
    // If this fails too, a lifecycle rule of the bucket has to remove the parts.
    await s3
      .abortMultipartUpload(upload, { abortSignal: AbortSignal.timeout(ABORT_TIMEOUT_MS) })
      .catch(() => undefined);
    throw cause;
  }
}

type Upload = Pick<ObjectTarget, 'Bucket' | 'Key'> & { readonly UploadId: string };

async function sendParts(
  s3: S3,
  upload: Upload,
  content: Content,
  { semaphore, abortSignal }: TransferOptions,
): Promise<CompletedPart[]> {
  const failed = new AbortController();
  const signal = AbortSignal.any([abortSignal, failed.signal]);
  const send = async (PartNumber: number): Promise<CompletedPart> => {
    signal.throwIfAborted();
    const Body = await content.read((PartNumber - 1) * PART_BYTES, PART_BYTES);
    const part = { ...upload, PartNumber, Body };
    const { ETag } = await s3.uploadPart(part, { abortSignal: signal });
    if (ETag === undefined) throw new Error('the bucket returned no tag for a part');
    return { PartNumber, ETag };
  };
  const count = Math.ceil(content.sizeBytes / PART_BYTES);
  const parts = Array.from({ length: count }, (_, index) =>
    semaphore.run(() => send(index + 1)).catch((cause: unknown) => failed.abort(cause)),
  );
  // Waits for all parts: the upload cannot be aborted, nor its file closed, while one is being
  // sent.
  const sent = await Promise.all(parts);
  failed.signal.throwIfAborted();
  return sent.filter((part) => part !== undefined);
}
