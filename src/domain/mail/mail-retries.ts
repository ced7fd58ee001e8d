import { type Attempt, type AttemptOutcome, judgeFailure } from '../deliveries/retries.ts';

/** The answer of the mail server, or why there is none. */
export type MailResult =
  | { readonly kind: 'accepted'; readonly code: number }
  /** The server refuses this mail for good (5xx). */
  | { readonly kind: 'refused'; readonly code: number }
  | { readonly kind: 'failed'; readonly code: number | undefined; readonly error: string };

/**
 * A refused mail is not sent again; other failures are retried like those of webhooks. A
 * destination is never disabled: an administrator chose it.
 */
export function judgeMail(
  result: MailResult,
  attempt: Attempt,
): Exclude<AttemptOutcome, { readonly kind: 'released' }> {
  if (result.kind === 'accepted')
    return { kind: 'delivered', status: result.code, at: attempt.now };
  if (result.kind === 'failed')
    return judgeFailure(attempt, { status: result.code, error: result.error });
  const error = `The mail server refused this mail with ${result.code}.`;
  return judgeFailure(attempt, { status: result.code, error, isFinal: true });
}
