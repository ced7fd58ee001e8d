import { randomBytes } from 'node:crypto';
import type { BucketLocation } from '../config/locations.ts';
import { Problem } from '../domain/problem.ts';
import { type Bucket, BucketFault } from './bucket.ts';

const CONTENT = Buffer.from('rapsheet probe');

/** Called with one line for the operator if the bucket gives no answer. */
export type OnOutage = (message: string) => void;

/**
 * Puts, reads and removes an object. Throws one line that names the wrong setting. An outage is
 * passed to `onOutage`, if there is one: a process that restarts during one must not exit.
 */
export async function probeBucket(
  bucket: Bucket,
  location: BucketLocation,
  onOutage?: OnOutage,
): Promise<void> {
  const name = `probe-${randomBytes(8).toString('hex')}`;
  const key = location.prefix === '' ? name : `${location.prefix}/${name}`;
  const content = { sizeBytes: CONTENT.length, read: async () => CONTENT };
  try {
    await bucket.put(key, content);
    const object = await bucket.get(key);
    const read = await object.read(CONTENT.length + 1).finally(() => object.close());
    await bucket.remove(key);
    // Without the permission to list, a missing object gives 403 instead of 404.
    await bucket.has(key);
    if (read.equals(CONTENT)) return;
  } catch (cause) {
    const fault = cause instanceof Problem ? cause.cause : undefined;
    if (!(fault instanceof BucketFault)) throw cause;
    const message = wrongSetting(fault, location);
    if (onOutage === undefined || !isOutage(fault)) throw new Error(message, { cause });
    return onOutage(message);
  }
  throw new Error('RAPSHEET_SAMPLES_URL names a bucket that returns other bytes than were stored');
}

const BAD_KEYS = [
  'CredentialsProviderError',
  'ExpiredToken',
  'InvalidAccessKeyId',
  'InvalidToken',
  'SignatureDoesNotMatch',
];
const BAD_REGIONS = [
  'AuthorizationHeaderMalformed',
  'IllegalLocationConstraintException',
  'PermanentRedirect',
];

function isOutage({ code, status }: BucketFault): boolean {
  return status === undefined ? !BAD_KEYS.includes(code) : status >= 500;
}

function wrongSetting(fault: BucketFault, location: BucketLocation): string {
  const { code, status, message } = fault;
  const { bucket, endpoint = 'AWS', region } = location;
  if (code === 'NoSuchBucket')
    return `RAPSHEET_SAMPLES_URL names the bucket ${bucket}, which does not exist at ${endpoint}`;
  // Stores other than AWS use other codes.
  if (BAD_KEYS.includes(code) || /access key/i.test(message))
    return `RAPSHEET_S3_ACCESS_KEY_ID and RAPSHEET_S3_SECRET_ACCESS_KEY are not accepted by ${endpoint} (${message})`;
  if (BAD_REGIONS.includes(code) || status === 301)
    return `RAPSHEET_S3_REGION is ${region}, which is not the region of the bucket ${bucket} (${message})`;
  if (status === 403)
    return `RAPSHEET_SAMPLES_URL names the bucket ${bucket}, in which the key may not list, put, get and delete objects (${message})`;
  if (status === undefined)
    return `RAPSHEET_S3_ENDPOINT: ${endpoint} cannot be reached (${message})`;
  return `RAPSHEET_SAMPLES_URL names the bucket ${bucket}, which cannot be used (${message})`;
}
