import type { QuotaBalance } from './accounts/quota.ts';

/** The category of a problem. Only the HTTP layer maps it to a status. */
export type ProblemKind =
  | 'moved'
  | 'invalid'
  | 'unauthenticated'
  | 'forbidden'
  | 'not-found'
  | 'method-not-allowed'
  | 'not-acceptable'
  | 'conflict'
  | 'gone'
  | 'too-large'
  | 'range'
  | 'unsupported-media'
  | 'idempotency-mismatch'
  | 'unprocessable'
  | 'quota-exhausted'
  | 'throttled'
  | 'overloaded'
  | 'unavailable'
  | 'defect';

interface Entry {
  readonly kind: ProblemKind;
  /** The text for people. `{name}` is replaced by that parameter of the problem. */
  readonly text: string;
}

/**
 * Every error of the API, by the stable code that programs read in `X-Error-Code`.
 * `docs/operations/errors.md` is generated from this table.
 */
export const PROBLEMS = {
  moved: {
    kind: 'moved',
    text: 'This operation has moved to {path}. Send the same request there.',
  },
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
    text: 'The ssdeep value must be a fuzzy hash in the format of ssdeep: "<block size>:<hash>:<hash>". Send either ssdeep or tlsh.',
  },
  invalid_tlsh: {
    kind: 'invalid',
    text: 'The tlsh value must be a TLSH digest, "T1" and 70 hexadecimal digits. Send either ssdeep or tlsh.',
  },
  invalid_cursor: {
    kind: 'invalid',
    text: 'This cursor or position was not issued by this service, or was issued for another list. Send it unchanged with the same feed, filters and order, or start again without it.',
  },
  since_ahead: {
    kind: 'invalid',
    text: 'The feed has not reached this position: since must be the "next" or "head" of an earlier answer.',
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
    text: 'The ticket is not valid: it is malformed, already used, older than 30 seconds or for another stream, or its token is no longer valid.',
  },
  session_expired: {
    kind: 'unauthenticated',
    text: 'The session has ended: it expired or was ended, or its token or account is no longer valid. Sign in again.',
  },
  link_invalid: {
    kind: 'unauthenticated',
    text: 'The sign-in link is not valid: it is malformed, already used or expired, or its account is disabled. Ask for another one.',
  },
  cross_origin: { kind: 'forbidden', text: 'A request of a browser {requirement}.' },
  role_missing: { kind: 'forbidden', text: 'This call needs an account with the role "{role}".' },
  not_creator_or_owner: {
    kind: 'forbidden',
    text: 'Only the account that created this report, or an owner of this feed, may delete it.',
  },
  not_owner: {
    kind: 'forbidden',
    text: 'Only an owner of this feed may do this.',
  },
  not_owner_or_admin: {
    kind: 'forbidden',
    text: 'Only an owner of this feed, or an administrator, may do this.',
  },
  webhook_blocked: {
    kind: 'forbidden',
    text: 'An administrator disabled this webhook; only an administrator can enable it.',
  },
  collection_read_only: {
    kind: 'forbidden',
    text: 'This collection accepts no objects. Send them to the collection of a service, with an account that has the role "researcher".',
  },
  object_not_deletable: {
    kind: 'forbidden',
    text: 'Only the indicators of a report can be deleted, and the report with them.',
  },
  sample_removed: {
    kind: 'forbidden',
    text: 'An operator removed this file; it cannot be stored again.',
  },
  unknown_route: { kind: 'not-found', text: 'No route has this path. See /docs.' },
  unknown_service: {
    kind: 'not-found',
    text: 'There is no service with this name. Names are lower-case and matched exactly.',
  },
  unknown_format: {
    kind: 'not-found',
    text: 'There is no export format with this name. The formats are {formats}.',
  },
  unknown_report: { kind: 'not-found', text: 'There is no report with this id in this feed.' },
  unknown_report_id: { kind: 'not-found', text: 'There is no report with this id.' },
  unknown_sample: { kind: 'not-found', text: 'There is no analysis report for this hash.' },
  analysis_pending: {
    kind: 'not-found',
    text: 'This file is being analysed; its report is not ready yet. Retry after a moment.',
  },
  unknown_details: {
    kind: 'not-found',
    text: 'There are no details for this hash: its report was not created by this service.',
  },
  unknown_event: {
    kind: 'not-found',
    text: 'The MISP feed has no event with this id. Its manifest.json lists them.',
  },
  empty_misp_feed: {
    kind: 'not-found',
    text: 'The MISP feed has no values yet: there is nothing to hash.',
  },
  unknown_proposal: {
    kind: 'not-found',
    text: 'This account has no proposal with this id. A later analysis may have withdrawn it, and proposals are deleted after 90 days.',
  },
  no_tlsh: {
    kind: 'not-found',
    text: 'The analysis of this file has no TLSH digest, so nothing was compared: the file is too short or too uniform, or its analysis was imported or made by an older version. If you have the file, search for its digest with tlsh=.',
  },
  unknown_file: { kind: 'not-found', text: 'The file with this hash is not stored here.' },
  unknown_reporter: {
    kind: 'not-found',
    text: 'There is no reporter with this name. It is the reportedBy of a report, matched exactly.',
  },
  unknown_account: { kind: 'not-found', text: 'There is no account with this id or name.' },
  unknown_token: { kind: 'not-found', text: 'There is no token with this id.' },
  unknown_webhook: { kind: 'not-found', text: 'There is no webhook with this id in this feed.' },
  unknown_pattern: {
    kind: 'not-found',
    text: 'This service does not declare this host. GET /feed/<service>/ownership lists what it declares.',
  },
  unknown_delivery: {
    kind: 'not-found',
    text: 'There is no delivery with this id in the log of this webhook.',
  },
  unknown_collection: {
    kind: 'not-found',
    text: 'There is no collection with this id or alias. /taxii2/feeds/collections/ lists them.',
  },
  unknown_object: {
    kind: 'not-found',
    text: 'There is no object with this id in this collection, or it is one that several reports share, which is only read with them.',
  },
  unknown_submission: {
    kind: 'not-found',
    text: 'This account has no submission with this id, or its status was deleted, which happens after two days.',
  },
  not_acceptable: {
    kind: 'not-acceptable',
    text: 'The answer has the type application/taxii+json;version=2.1, which the Accept header excludes.',
  },
  no_mail: {
    kind: 'not-found',
    text: 'This service does not get its reports by mail. An administrator can set an address.',
  },
  unknown_mail: {
    kind: 'not-found',
    text: 'There is no mail with this id in the log of this service.',
  },
  method_not_allowed: {
    kind: 'method-not-allowed',
    text: 'This path does not support this method. The Allow header lists the supported methods.',
  },
  service_exists: { kind: 'conflict', text: 'A service with this name already exists.' },
  service_built_in: {
    kind: 'conflict',
    text: 'The service unclaimed is built in: it keeps its name, and declares no hosts or networks. Add a service for the hosts that it answers for.',
  },
  account_exists: {
    kind: 'conflict',
    text: 'The account "{name}" has this name already, or one that looks the same.',
  },
  own_account: {
    kind: 'conflict',
    text: 'Administrators cannot end their own administration: disable their account, give up the role admin, or set an expiry that has passed. Ask another administrator, or use `rapsheet account set` on the server.',
  },
  last_administrator: {
    kind: 'conflict',
    text: 'This account is the last administrator that is neither disabled nor expired. Give the role admin to another account first. If no administrator is left, `rapsheet account set <name> --enable --admin --expires never` on the server repairs that.',
  },
  analysis_unfinished: {
    kind: 'conflict',
    text: 'This file is queued for analysis, or being analysed. Wait for the end of its analysis.',
  },
  reanalysis_running: {
    kind: 'conflict',
    text: 'Stored files are being analysed again already. Wait for the end, or stop it first.',
  },
  proposal_dismissed: {
    kind: 'conflict',
    text: 'This proposal was dismissed, so it cannot be reported. To report its C2 all the same, create a report in the feed.',
  },
  proposal_unrouted: {
    kind: 'conflict',
    text: 'The service of this proposal no longer answers for its C2: nobody can, or another one does, for which this account has a proposal too. Dismiss this one; to report its C2 all the same, create a report in a feed.',
  },
  proposal_reported: {
    kind: 'conflict',
    text: 'This proposal was reported, so it cannot be dismissed. Its report can be deleted instead.',
  },
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
    text: 'This webhook is suspended; its "suspendedReason" says why. An administrator can assign it to another owner of the feed.',
  },
  mail_not_configured: {
    kind: 'conflict',
    text: 'This server sends no mail: RAPSHEET_SMTP_URL and RAPSHEET_MAIL_FROM are not set.',
  },
  scale_fixed: {
    kind: 'conflict',
    text: 'The confidence scale of a service cannot change after its feed has received a report.',
  },
  changes_dropped: {
    kind: 'gone',
    text: 'The changes after this position are no longer stored. Request since=head, then list all reports, then continue from the "next" of that first answer.',
  },
  body_too_large: {
    kind: 'too-large',
    text: 'The body is too large: the limit is {limit} bytes.',
  },
  stored_bytes_exceeded: {
    kind: 'too-large',
    text: 'This account has stored {stored} of at most {limit} bytes: a file of {size} bytes does not fit. An operator can remove files or raise the limit.',
  },
  line_too_long: {
    kind: 'too-large',
    text: 'The line is too long: the limit is {limit} bytes.',
  },
  too_many_lines: {
    kind: 'too-large',
    text: 'A batch has at most {limit} lines. The lines before this one were processed; send the others in another batch.',
  },
  range_not_satisfiable: {
    kind: 'range',
    text: 'The file has {size} bytes, and the range begins after them.',
  },
  unsupported_media_type: {
    kind: 'unsupported-media',
    text: 'The Content-Type must be {expected}, in UTF-8 and without a content encoding.',
  },
  idempotency_key_reused: {
    kind: 'idempotency-mismatch',
    text: 'This Idempotency-Key was used with another body within the last 24 hours. Use a new key for a new report.',
  },
  invalid_envelope: { kind: 'unprocessable', text: '{problems}' },
  invalid_misp: { kind: 'unprocessable', text: '{problems}' },
  invalid_xarf: { kind: 'unprocessable', text: '{problems}' },
  quota_exhausted: {
    kind: 'quota-exhausted',
    text: 'No lookups are left. GET /api/balance shows the balance; an operator can add lookups.',
  },
  quota_insufficient: {
    kind: 'quota-exhausted',
    text: 'This call needs {needed} lookups, but {left} are left. None was charged.',
  },
  too_many_bad_tokens: {
    kind: 'throttled',
    text: 'Too many calls with invalid tokens came from this address. Wait as long as Retry-After says.',
  },
  too_many_connections: {
    kind: 'throttled',
    text: 'Too many connections of this kind are open. Wait as long as Retry-After says.',
  },
  too_many_uploads: {
    kind: 'throttled',
    text: 'This account has {limit} uploads, or batches of reports, in progress, which is the limit. Wait until one of them ends.',
  },
  too_many_streams: {
    kind: 'throttled',
    text: 'This account has {limit} open streams, which is the limit. Close one that is no longer read.',
  },
  too_many_websockets: {
    kind: 'throttled',
    text: 'This account has {limit} open WebSockets, which is the limit. Close one that is no longer needed.',
  },
  too_many_exports: {
    kind: 'throttled',
    text: 'This account waits for or reads {limit} exports, which is the limit. Retry as Retry-After says, or when one of them has ended.',
  },
  status_bytes_exceeded: {
    kind: 'throttled',
    text: 'The statuses of what this account submitted use {stored} of at most {limit} bytes. Each is deleted two days after its submission: retry as Retry-After says, or create reports with POST /feed/<service>/reports. An operator can raise the limit.',
  },
  rate_limited: {
    kind: 'throttled',
    text: 'This account exceeds the rate limit "{policy}" of {limit} per minute. Wait as long as Retry-After says.',
  },
  too_many_pipelined: {
    kind: 'throttled',
    text: 'Too many requests were sent on this connection before their responses were read. Read responses as they arrive, or use more connections.',
  },
  checks_busy: {
    kind: 'throttled',
    text: 'Too many hosts are being checked at the moment. Wait as long as Retry-After says.',
  },
  check_too_soon: {
    kind: 'throttled',
    text: 'This host was checked a moment ago: wait {seconds} s before the next check.',
  },
  overloaded: {
    kind: 'overloaded',
    text: 'The service has no memory left for this call at the moment, because clients have not read other responses. Nothing was changed or charged; retry as Retry-After says.',
  },
  exports_busy: {
    kind: 'overloaded',
    text: 'Too many exports are being built. Retry as Retry-After says.',
  },
  exports_full: {
    kind: 'overloaded',
    text: 'The exports that are being read use all space that this server has for them. Retry as Retry-After says, or select fewer reports.',
  },
  unavailable: {
    kind: 'unavailable',
    text: 'The service cannot reach its storage at the moment. Nothing was changed or charged; retry.',
  },
  not_admitted: {
    kind: 'unavailable',
    text: 'The store was upgraded or moved, and no longer admits this server, which stops. Nothing was changed or charged; another server answers, or this one after its upgrade.',
  },
  disk_full: {
    kind: 'unavailable',
    text: 'A disk of this server is full or not writable. The log of the server has the details.',
  },
  clock_wrong: {
    kind: 'unavailable',
    text: 'The clock of this server differs by {seconds} s from that of its database. The server is ready again when its clock is right.',
  },
  internal: {
    kind: 'defect',
    text: 'The service failed with an internal error. Nothing was charged; X-Request-Id identifies this call.',
  },
} as const satisfies Record<string, Entry>;

export type ProblemCode = keyof typeof PROBLEMS;

export interface ProblemDetails {
  /** Replace the `{name}` parts of the text. */
  readonly parameters?: Readonly<Record<string, string | number>>;
  readonly retryAfterSeconds?: number;
  /** The balance of the caller, for the headers, if the call spends quota. */
  readonly quota?: QuotaBalance;
  /** Whether the response removes the session cookie of the browser. */
  readonly endsSession?: boolean;
  /** The missing role, for `WWW-Authenticate`. */
  readonly role?: string;
  readonly cause?: unknown;
}

/** An error that the caller causes, or a fault that is reported to the caller. */
export class Problem extends Error {
  readonly code: ProblemCode;
  readonly details: ProblemDetails;

  constructor(code: ProblemCode, details: ProblemDetails = {}) {
    super(shorten(fill(PROBLEMS[code].text, details.parameters ?? {})), { cause: details.cause });
    this.code = code;
    this.details = details;
  }

  get kind(): ProblemKind {
    return PROBLEMS[this.code].kind;
  }
}

/** A problem that lists everything that is wrong with one body, query or header. */
export function invalid(
  code: 'invalid_body' | 'invalid_query' | 'invalid_header' | 'invalid_envelope',
  problems: readonly string[],
): Problem {
  return new Problem(code, { parameters: { problems: problems.join(' ') } });
}

/** A caller decides how much is wrong, but not how long the response is. */
const MAX_TEXT_LENGTH = 4000;

function shorten(text: string): string {
  return text.length <= MAX_TEXT_LENGTH ? text : `${text.slice(0, MAX_TEXT_LENGTH)}…`;
}

function fill(text: string, parameters: Readonly<Record<string, string | number>>): string {
  return text.replace(/\{(\w+)\}/g, (placeholder, name: string) =>
    String(parameters[name] ?? placeholder),
  );
}
