import { Problem, type ProblemCode } from '../../../domain/problem.ts';
import { MAX_WEBHOOKS } from '../../../domain/webhooks/webhook.ts';
import type { Access } from '../../gate/access.ts';
import { readIdempotencyKey } from '../../requests/idempotency-key.ts';
import { readMispEvent } from '../../requests/intake/misp-event.ts';
import { readXarf } from '../../requests/intake/xarf-body.ts';
import { BODY_BOUNDS, boundRule } from '../../requests/json-bounds.ts';
import { unsupportedMediaType } from '../../requests/media-type.ts';
import { emptyBody } from '../../requests/ndjson.ts';
import { fileIsMissing } from '../../requests/upload-body.ts';
import { STATUS } from '../../responses/error-replies.ts';
import { emptyEnvelope } from '../../taxii/envelope.ts';
import { taxiiError } from '../../taxii/error.ts';
import { TAXII_TYPE } from '../../taxii/media-type.ts';
import { CODES } from './codes.ts';

/** What decides which refusals an operation has. */
export interface RefusedOperation {
  readonly operationId: string;
  readonly path: string;
  readonly access: Access;
  readonly parameterNames: readonly string[];
  readonly bodyType: string | undefined;
  readonly bodyLimit: number;
  /** The problems of a body and of a query that are not valid, as the server states them. */
  readonly invalidBody?: string | undefined;
  readonly invalidQuery?: string | undefined;
}

export interface RefusalExample {
  readonly $ref?: string;
  readonly value?: unknown;
}

/** Values for the texts of `domain/problem.ts`: the defaults of the settings, or plain examples. */
const PARAMETERS: Partial<Record<ProblemCode, Readonly<Record<string, string | number>>>> = {
  cross_origin: {
    requirement:
      'must carry the header "X-Rapsheet-Request: 1" if it changes something or takes a unit of the quota',
  },
  role_missing: { role: 'researcher' },
  account_exists: { name: 'alice' },
  unknown_format: { formats: 'json, ndjson, csv, txt, …' },
  too_many_webhooks: { limit: MAX_WEBHOOKS },
  too_many_tokens: { limit: 100 },
  too_many_uploads: { limit: 8 },
  too_many_exports: { limit: 8 },
  too_many_streams: { limit: 100 },
  stored_bytes_exceeded: { stored: 53_687_000_000, limit: 53_687_091_200, size: 1_048_576 },
  status_bytes_exceeded: { stored: 33_554_000, limit: 33_554_432 },
  range_not_satisfiable: { size: 4096 },
  quota_insufficient: { needed: 2, left: 1 },
  check_too_soon: { seconds: 5 },
  rate_limited: { policy: 'create', limit: 6000 },
};

/** Rates other than that of creates. */
const RATES: Readonly<Record<string, Readonly<Record<string, string | number>>>> = {
  upload: { policy: 'upload', limit: 600 },
  testMail: { policy: 'mail-test', limit: 1 },
};

/** Refusals whose text the code that checks a body makes. */
const MADE: Partial<Record<ProblemCode, () => Problem>> = {
  invalid_header: () => refusalOf(() => readIdempotencyKey('')),
  invalid_xarf: () => refusalOf(() => readXarf({}, 100)),
  invalid_misp: () => refusalOf(() => readMispEvent({})),
  invalid_envelope: emptyEnvelope,
};

export type RefusalExamples = Readonly<Record<string, RefusalExample>>;

/**
 * The examples of an operation for a status and a media type, by code. A text that never differs is
 * shared.
 */
export function refusalExamples(
  operation: RefusedOperation,
): (status: number, mediaType: string) => RefusalExamples {
  const problems = problemsOf(operation);
  return (status, mediaType) =>
    Object.fromEntries(
      problems
        .filter(({ kind }) => STATUS[kind] === status)
        .map((problem) => [problem.code, exampleOf(problem, mediaType)]),
    );
}

function exampleOf(problem: Problem, mediaType: string): RefusalExample {
  const isShared = mediaType === JSON_TYPE && !VARYING.includes(problem.code);
  return isShared
    ? { $ref: `#/components/examples/${problem.code}` }
    : { value: bodyOf(problem, mediaType) };
}

const JSON_TYPE = 'application/json';

/** The shared examples: each that one of the documented operations refers to. */
export function sharedExamples(paths: unknown): RefusalExamples {
  const names = JSON.stringify(paths).matchAll(/"#\/components\/examples\/(\w+)"/g);
  const codes = [...new Set(Array.from(names, ([, code]) => code as ProblemCode))].sort();
  return Object.fromEntries(
    codes.map((code) => [code, { value: bodyOf(makeProblem(code, ''), JSON_TYPE) }]),
  );
}

const VARYING: readonly ProblemCode[] = [
  'invalid_body',
  'invalid_query',
  'role_missing',
  'body_too_large',
  'unsupported_media_type',
  'rate_limited',
];

function problemsOf(operation: RefusedOperation): readonly Problem[] {
  const { operationId, bodyType, bodyLimit, invalidBody, invalidQuery } = operation;
  const made = [
    ...streamedBodyProblems(operation),
    ...texts('invalid_body', invalidBody ?? (isJson(bodyType) ? TOO_DEEP : undefined)),
    ...texts('invalid_query', invalidQuery),
    ...accessProblems(operation),
    new Problem('body_too_large', { parameters: { limit: bodyLimit } }),
    unsupportedMediaType(bodyType),
  ];
  const codes = new Set([...generalCodes(operation), ...(CODES[operationId] ?? [])]);
  return [...made, ...Array.from(codes, (code) => makeProblem(code, operationId))];
}

/** What remains to be said of a body whose schema states no rules. */
const TOO_DEEP = `The body must have ${boundRule('depth', BODY_BOUNDS)}.`;

const isJson = (bodyType: string | undefined) =>
  bodyType?.includes('json') === true && !bodyType.includes('ndjson');

/** Bodies that have no schema. */
function streamedBodyProblems({ bodyType }: RefusedOperation): readonly Problem[] {
  if (bodyType === 'application/x-ndjson') return [emptyBody()];
  return bodyType === 'multipart/form-data' ? [fileIsMissing()] : [];
}

const texts = (code: 'invalid_body' | 'invalid_query', problems: string | undefined) =>
  problems === undefined ? [] : [new Problem(code, { parameters: { problems } })];

function accessProblems({ access }: RefusedOperation): readonly Problem[] {
  if (access === 'owner') return [new Problem('not_owner')];
  if (access === 'owner-or-admin') return [new Problem('not_owner_or_admin')];
  if (access === 'public' || access === 'token') return [];
  return [new Problem('role_missing', { parameters: { role: access } })];
}

/** By what an operation takes; a code whose status is not documented is left out. */
function generalCodes({ path, parameterNames, bodyType }: RefusedOperation): ProblemCode[] {
  return [
    ...(isJson(bodyType) ? (['malformed_json'] as const) : []),
    ...(parameterNames.includes('cursor') ? (['invalid_cursor'] as const) : []),
    ...(parameterNames.includes('Idempotency-Key') ? (['invalid_header'] as const) : []),
    'malformed_request',
    'token_missing',
    'token_invalid',
    'session_expired',
    'cross_origin',
    ...(path.includes('{service}') ? (['unknown_service'] as const) : []),
    'not_acceptable',
    'too_many_bad_tokens',
    'internal',
    'overloaded',
    'unavailable',
  ];
}

function makeProblem(code: ProblemCode, operationId: string): Problem {
  const parameters =
    code === 'rate_limited' ? (RATES[operationId] ?? PARAMETERS[code]) : PARAMETERS[code];
  return MADE[code]?.() ?? new Problem(code, { parameters: parameters ?? {} });
}

function bodyOf(problem: Problem, mediaType: string): unknown {
  if (mediaType === TAXII_TYPE)
    return JSON.parse(taxiiError(problem, STATUS[problem.kind], 'fYq3m1TzQk').toString());
  return { error: problem.message, successful: false };
}

function refusalOf(check: () => unknown): Problem {
  try {
    check();
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
  throw new Error('the body of an example of a refusal is not refused');
}
