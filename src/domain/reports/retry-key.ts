import { DAY_MS } from '../duration.ts';

/** How long a create with the same idempotency key gets the first answer again. */
export const RETRY_KEY_VALID_MS = DAY_MS;

/** The first call with a key. */
export interface KeyedAnswer {
  /** The digest of its body. */
  readonly fingerprint: Uint8Array;
  /** The report that it created. */
  readonly reportId: string;
  readonly at: Date;
}

export type RetryAnswer =
  | { readonly kind: 'replayed'; readonly id: string }
  | { readonly kind: 'key-reused' };

/** The answer to a further call with the key; `undefined` if it counts as the first one. */
export function answerToRetry(
  { fingerprint, at }: Pick<KeyedAnswer, 'fingerprint' | 'at'>,
  earlier: KeyedAnswer | undefined,
): RetryAnswer | undefined {
  if (earlier === undefined || at.getTime() - earlier.at.getTime() >= RETRY_KEY_VALID_MS)
    return undefined;
  return Buffer.compare(earlier.fingerprint, fingerprint) === 0
    ? { kind: 'replayed', id: earlier.reportId }
    : { kind: 'key-reused' };
}
