import type { QuotaBalance } from './accounts/quota.ts';

/** What sort of refusal it is. The edge turns it into a status; nothing else may. */
export type ProblemKind =
  | 'invalid'
  | 'unauthenticated'
  | 'forbidden'
  | 'not-found'
  | 'method-not-allowed'
  | 'conflict'
  | 'gone'
  | 'too-large'
  | 'unsupported-media'
  | 'idempotency-mismatch'
  | 'quota-exhausted'
  | 'throttled'
  | 'overloaded'
  | 'unavailable'
  | 'defect';

interface Entry {
  readonly kind: ProblemKind;
  /** A sentence for people. `{word}` is filled in from the problem's details. */
  readonly text: string;
}

/**
 * Every refusal there is, by the stable word that programs read in `X-Error-Code`.
 * `docs/operations/errors.md` is generated from this table.
 */
export const PROBLEMS = {
  invalid_body: { kind: 'invalid', text: '{problems}' },
  invalid_query: { kind: 'invalid', text: '{problems}' },
  invalid_header: { kind: 'invalid', text: '{problems}' },
  malformed_json: {
    kind: 'invalid',
    text: 'The body is not valid JSON in UTF-8. Send one JSON object.',
  },
  malformed_request: {
    kind: 'invalid',
    text: 'The request could not be read: its URL, a header or its framing is malformed.',
  },
  malformed_multipart: {
    kind: 'invalid',
    text: 'The body is not valid multipart/form-data, or it ends too early.',
  },
  empty_file: { kind: 'invalid', text: 'The file is empty: there is nothing to analyse.' },
  invalid_hash: {
    kind: 'invalid',
    text: 'The hash must be a SHA-256 or BLAKE3 (64 hexadecimal digits) or a SHA-512 (128 hexadecimal digits).',
  },
  invalid_ssdeep: {
    kind: 'invalid',
    text: 'The ssdeep must be a fuzzy hash as ssdeep writes it: "<block size>:<hash>:<hash>".',
  },
  invalid_cursor: {
    kind: 'invalid',
    text: 'This cursor or position is not one of ours, or was made for another list. Hand it back as it was given, with the same feed, filters and order; or begin anew without it.',
  },
  since_ahead: {
    kind: 'invalid',
    text: 'The feed has not come that far: since must be a position that "next" or "head" of an earlier answer gave.',
  },
  malformed_line: {
    kind: 'invalid',
    text: 'The line is not valid JSON in UTF-8. Send one JSON object a line.',
  },
  token_missing: {
    kind: 'unauthenticated',
    text: 'This call needs a token. Send it as "Authorization: <token>" or "Authorization: Bearer <token>".',
  },
  token_invalid: {
    kind: 'unauthenticated',
    text: 'The token is not valid: it is malformed, unknown, revoked or expired, or its account is disabled.',
  },
  ticket_invalid: {
    kind: 'unauthenticated',
    text: 'The ticket is not valid: it is malformed, used already, older than 30 seconds or for another stream, or its token is no longer valid.',
  },
  role_missing: { kind: 'forbidden', text: 'This call needs an account with the role "{role}".' },
  not_creator_or_owner: {
    kind: 'forbidden',
    text: 'Only the account that created this report, or an owner of this feed, may delete it.',
  },
  not_owner: {
    kind: 'forbidden',
    text: 'Only an owner of this feed may do this.',
  },
  webhook_blocked: {
    kind: 'forbidden',
    text: 'An administrator disabled this webhook; only an administrator can enable it.',
  },
  sample_removed: {
    kind: 'forbidden',
    text: 'This file was removed by an operator and may not be stored again.',
  },
  unknown_route: { kind: 'not-found', text: 'There is nothing at this address. See /docs.' },
  unknown_service: {
    kind: 'not-found',
    text: 'There is no service of this name. Names are matched exactly and are lower-case.',
  },
  unknown_report: { kind: 'not-found', text: 'There is no report with this id in this feed.' },
  unknown_sample: { kind: 'not-found', text: 'There is no analysis report for this hash.' },
  analysis_pending: {
    kind: 'not-found',
    text: 'This file is being analysed; its report is not ready yet. Try again in a moment.',
  },
  unknown_details: {
    kind: 'not-found',
    text: 'There are no details for this hash: its report was not made here.',
  },
  unknown_file: { kind: 'not-found', text: 'We do not have the file itself of this hash.' },
  unknown_account: { kind: 'not-found', text: 'There is no account with this id or name.' },
  unknown_token: { kind: 'not-found', text: 'There is no token with this id.' },
  unknown_webhook: { kind: 'not-found', text: 'There is no webhook with this id in this feed.' },
  unknown_delivery: { kind: 'not-found', text: 'There is no delivery with this id in its log.' },
  method_not_allowed: {
    kind: 'method-not-allowed',
    text: 'This address does not take this method. The Allow header lists those it takes.',
  },
  service_exists: { kind: 'conflict', text: 'There is a service of this name already.' },
  account_exists: { kind: 'conflict', text: 'There is an account of this name already.' },
  too_many_webhooks: {
    kind: 'conflict',
    text: 'A feed has at most {limit} webhooks. Delete one that is no longer needed.',
  },
  too_many_tokens: {
    kind: 'conflict',
    text: 'An account has at most {limit} tokens that are neither revoked nor expired. Revoke one that is no longer needed.',
  },
  webhook_disabled: {
    kind: 'conflict',
    text: 'This webhook is disabled; its "disabledReason" says why. Enable it first.',
  },
  webhook_suspended: {
    kind: 'conflict',
    text: 'This webhook is suspended; its "suspendedReason" says why. An administrator can hand it over to another owner of the feed.',
  },
  scale_fixed: {
    kind: 'conflict',
    text: 'The confidence scale of a service is fixed once its feed has had a report.',
  },
  changes_dropped: {
    kind: 'gone',
    text: 'Changes after this position are no longer kept. Ask for since=head, then list the reports anew, then follow from the "next" of that first answer.',
  },
  body_too_large: {
    kind: 'too-large',
    text: 'The body is too large: at most {limit} bytes are taken here.',
  },
  stored_bytes_exceeded: {
    kind: 'too-large',
    text: 'This account has stored {stored} of at most {limit} bytes: a file of {size} bytes does not fit. An operator can remove files or raise the limit.',
  },
  line_too_long: {
    kind: 'too-large',
    text: 'The line is too long: at most {limit} bytes are taken.',
  },
  too_many_lines: {
    kind: 'too-large',
    text: 'At most {limit} lines are taken in one batch. Those before this one stand; send the others in another batch.',
  },
  unsupported_media_type: {
    kind: 'unsupported-media',
    text: 'The Content-Type must be {expected}, in UTF-8 and without a content encoding.',
  },
  idempotency_key_reused: {
    kind: 'idempotency-mismatch',
    text: 'This Idempotency-Key was used with another body within the last 24 hours. Use a new key for a new report.',
  },
  quota_exhausted: {
    kind: 'quota-exhausted',
    text: 'No lookups are left. GET /api/balance tells what remains; an operator can top it up.',
  },
  quota_insufficient: {
    kind: 'quota-exhausted',
    text: 'This call needs {needed} lookups and {left} are left. Nothing was taken.',
  },
  too_many_bad_tokens: {
    kind: 'throttled',
    text: 'Too many calls with bad tokens came from this address. Wait as long as Retry-After says.',
  },
  too_many_connections: {
    kind: 'throttled',
    text: 'Too many connections of this kind are open. Wait as long as Retry-After says.',
  },
  too_many_uploads: {
    kind: 'throttled',
    text: 'This account has {limit} uploads, or batches of reports, under way: no more at a time. Wait until one of them is through.',
  },
  too_many_streams: {
    kind: 'throttled',
    text: 'This account has {limit} streams open, the most at a time. Close one that is no longer read.',
  },
  too_many_websockets: {
    kind: 'throttled',
    text: 'This account has {limit} WebSockets open, the most at a time. Close one that is no longer needed.',
  },
  rate_limited: {
    kind: 'throttled',
    text: 'This account makes too many calls of the policy "{policy}": at most {limit} a minute. Wait as long as Retry-After says.',
  },
  too_many_pipelined: {
    kind: 'throttled',
    text: 'Too many requests were sent on this connection before their answers were read. Read answers as they come, or use more connections.',
  },
  overloaded: {
    kind: 'overloaded',
    text: 'The service has no memory left for this call at the moment: other answers are still unread. Nothing was changed or charged; try again after Retry-After.',
  },
  unavailable: {
    kind: 'unavailable',
    text: 'The service cannot reach its storage at the moment. Nothing was changed or charged; try again.',
  },
  disk_full: {
    kind: 'unavailable',
    text: 'A disk of this server is full or cannot be written to. Its operator finds more in the log.',
  },
  clock_wrong: {
    kind: 'unavailable',
    text: 'The clock of this server differs by {seconds} s from that of its database. It is ready again once it is set right.',
  },
  internal: {
    kind: 'defect',
    text: 'Something went wrong on our side. Nothing was charged; X-Request-Id identifies this call.',
  },
} as const satisfies Record<string, Entry>;

export type ProblemCode = keyof typeof PROBLEMS;

export interface ProblemDetails {
  /** Fills `{words}` of the text. */
  readonly words?: Readonly<Record<string, string | number>>;
  readonly retryAfterSeconds?: number;
  /** The caller's balance, where a unit was taken or asked for: it goes out in the headers. */
  readonly quota?: QuotaBalance;
  /** What the caller would have needed, for `WWW-Authenticate`. */
  readonly role?: string;
  readonly cause?: unknown;
}

/** A refusal that the caller can cause, or a fault that the caller must be told of. */
export class Problem extends Error {
  readonly code: ProblemCode;
  readonly details: ProblemDetails;

  constructor(code: ProblemCode, details: ProblemDetails = {}) {
    super(fill(PROBLEMS[code].text, details.words ?? {}), { cause: details.cause });
    this.code = code;
    this.details = details;
  }

  get kind(): ProblemKind {
    return PROBLEMS[this.code].kind;
  }
}

/** All problems of one body or query, told at once. */
export function invalid(
  code: 'invalid_body' | 'invalid_query' | 'invalid_header',
  problems: readonly string[],
): Problem {
  return new Problem(code, { words: { problems: problems.join(' ') } });
}

function fill(text: string, words: Readonly<Record<string, string | number>>): string {
  return text.replace(/\{(\w+)\}/g, (whole, word: string) => String(words[word] ?? whole));
}
