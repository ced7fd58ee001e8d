import type { CompletedPart, S3 } from '@aws-sdk/client-s3';
import type { Slots } from './slots.ts';

/** What is sent in one piece, and from where on in parts. Each stands in memory while it is on its way. */
export const PART_BYTES = 8 * 1024 * 1024;
const GIVE_UP_MS = 5000;

/** What can be put into a bucket. It may be read more than once, at any place. */
export interface Content {
  readonly sizeBytes: number;
  read(at: number, length: number): Promise<Buffer>;
}

export interface ObjectName {
  readonly Bucket: string;
  readonly Key: string;
  readonly ContentType: string;
}

interface Means {
  readonly slots: Slots;
  readonly abortSignal: AbortSignal;
}

/** A large object, which is there once its last part is; nothing is left of one that fails. */
export async function sendInParts(
  s3: S3,
  object: ObjectName,
  content: Content,
  means: Means,
): Promise<void> {
  const { abortSignal } = means;
  const { Bucket, Key } = object;
  const { UploadId } = await s3.createMultipartUpload(object, { abortSignal });
  if (UploadId === undefined) throw new Error('the upload in parts got no id');
  const upload = { Bucket, Key, UploadId };
  try {
    const Parts = await sendParts(s3, upload, content, means);
    await s3.completeMultipartUpload({ ...upload, MultipartUpload: { Parts } }, { abortSignal });
  } catch (cause) {
    // Where even this fails, a rule of the bucket has to remove the parts: we could only try again and again.
    await s3
      .abortMultipartUpload(upload, { abortSignal: AbortSignal.timeout(GIVE_UP_MS) })
      .catch(() => undefined);
    throw cause;
  }
}

type Upload = Pick<ObjectName, 'Bucket' | 'Key'> & { readonly UploadId: string };

async function sendParts(
  s3: S3,
  upload: Upload,
  content: Content,
  { slots, abortSignal }: Means,
): Promise<CompletedPart[]> {
  const failed = new AbortController();
  const signal = AbortSignal.any([abortSignal, failed.signal]);
  const send = async (PartNumber: number): Promise<CompletedPart> => {
    signal.throwIfAborted();
    const Body = await content.read((PartNumber - 1) * PART_BYTES, PART_BYTES);
    const part = { ...upload, PartNumber, Body };
    const { ETag } = await s3.uploadPart(part, { abortSignal: signal });
    if (ETag === undefined) throw new Error('a part was taken without a tag');
    return { PartNumber, ETag };
  };
  const count = Math.ceil(content.sizeBytes / PART_BYTES);
  const parts = Array.from({ length: count }, (_, at) =>
    slots.use(() => send(at + 1)).catch((cause: unknown) => failed.abort(cause)),
  );
  // All of them: the upload cannot be given up, nor its file closed, while a part is on its way.
  const sent = await Promise.all(parts);
  failed.signal.throwIfAborted();
  return sent.filter((part) => part !== undefined);
}
