import assert from 'node:assert/strict';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { PROBLEMS } from '../../src/domain/problem.ts';
import type { App } from '../../src/http/fastify-types.ts';
import { isPollerUrl, isTaxiiUrl, THREATFOX_URL } from '../../src/http/poller-urls.ts';
import { normalizeUrl } from '../../src/http/request-url.ts';
import { OLD_THREATFOX_URL } from '../../src/http/routes/moved.ts';

/** A response to check against the contract. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly text: string;
  /** The parsed body; empty if it is no JSON object. */
  readonly json: Readonly<Record<string, unknown>>;
  /** `X-Error-Code`. */
  readonly code: string | undefined;
}

interface Operation {
  readonly path: RegExp;
  readonly method: string;
  documents(status: number): boolean;
  /** The codes that the examples of a status name. */
  codesOf(status: number): readonly string[];
  validatorOf(status: number): ValidateFunction | undefined;
}

/** Internals that must not leak: paths, SQL, stack traces and names of dependencies. */
const LEAK =
  /node_modules|\/src\/|\/work\/|file:\/\/|\n\s*at |\b(?:select|insert|update|delete)\b.*\b(?:from|into|set)\b|sqlite|kysely|fastify|FST_|zod|ENOENT|undefined/i;

/**
 * Cached, because all servers of one process serve the same document and compiling its schemas
 * takes long.
 */
let known: readonly Operation[] | undefined;

/**
 * Checks the guarantees that hold for every response, read from the OpenAPI document of the server.
 */
export class Contract {
  readonly #operations: readonly Operation[];

  constructor(app: App) {
    known ??= readOperations(app);
    this.#operations = known;
  }

  check(method: string, url: string, answer: Answer): void {
    const what = `${method} ${url.slice(0, 200)} → ${answer.status} ${answer.text.slice(0, 300)}`;
    checkHeaders(answer, what);
    if (answer.status >= 400) checkRefusal(answer, url, what);
    // These belong to no operation: the request was unreadable, or no route matched.
    if (answer.code === 'malformed_request' || answer.status === 405) return;
    const called = normalizeUrl(url).replace(/[?#].*$/s, '');
    const path = called === OLD_THREATFOX_URL ? THREATFOX_URL : called;
    const documented = method === 'HEAD' ? 'GET' : method;
    const operation = this.#operations.find(
      (one) => one.method === documented && one.path.test(path),
    );
    if (operation === undefined) {
      if (answer.status >= 400) assert.equal(answer.code, 'unknown_route', what);
      return;
    }
    assert.ok(operation.documents(answer.status), `undocumented: ${what}`);
    if (answer.status >= 400 && !OF_CONNECTIONS.includes(answer.code ?? ''))
      assert.ok(
        operation.codesOf(answer.status).includes(answer.code ?? ''),
        `no example of ${answer.code} (src/http/openapi/refusals/codes.ts): ${what}`,
      );
    const validate = operation.validatorOf(answer.status);
    if (answer.text !== '' && validate !== undefined && !validate(JSON.parse(answer.text)))
      assert.fail(`not as documented: ${what}\n${JSON.stringify(validate.errors)}`);
  }
}

function checkHeaders({ headers }: Answer, what: string): void {
  assert.match(headers['x-request-id'] ?? '', /^[A-Za-z0-9_-]{8,}$/, `X-Request-Id: ${what}`);
  assert.equal(headers['x-content-type-options'], 'nosniff', what);
  assert.equal(headers['referrer-policy'], 'no-referrer', what);
  assert.match(headers['content-security-policy'] ?? '', /default-src/, what);
  assert.ok(headers['cache-control'], what);
}

function checkRefusal(answer: Answer, url: string, what: string): void {
  const { status, code, headers, text } = answer;
  if (isTaxiiUrl(url)) checkTaxiiError(answer, what);
  // Only the route itself answers as ThreatFox does, and no other method reaches it.
  else checkFailure(answer, isThreatfoxUrl(url) && status !== 405, what);
  assert.ok(code !== undefined && Object.hasOwn(PROBLEMS, code), `X-Error-Code: ${what}`);
  assert.equal(headers['cache-control'], 'no-store', what);
  assert.doesNotMatch(text, LEAK, what);
  const challenge = isPollerUrl(url)
    ? /^Basic realm="rapsheet", charset="UTF-8", ?Bearer realm="/
    : /^Bearer realm="/;
  if (status === 401) assert.match(headers['www-authenticate'] ?? '', challenge, what);
}

const isThreatfoxUrl = (url: string) => /^(?:\/threatfox)?\/api\/v1\/?(?:\?|$)/.test(url);

function checkFailure({ json, headers }: Answer, isThreatfox: boolean, what: string): void {
  const members = ['error', ...(isThreatfox ? ['query_status'] : []), 'successful'];
  assert.deepEqual(Object.keys(json).sort(), members, what);
  assert.equal(json['successful'], false, what);
  assert.ok(typeof json['error'] === 'string' && json['error'].length > 0, what);
  assert.match(headers['content-type'] ?? '', /^application\/json; charset=utf-8$/, what);
}

function checkTaxiiError({ json, headers, status, code }: Answer, what: string): void {
  assert.equal(headers['content-type'], 'application/taxii+json;version=2.1', what);
  assert.ok(typeof json['title'] === 'string' && json['title'].length > 0, what);
  assert.ok(typeof json['description'] === 'string' && json['description'].length > 0, what);
  assert.equal(json['http_status'], String(status), what);
  assert.equal(json['error_code'], code, what);
  assert.equal(json['error_id'], headers['x-request-id'], what);
}

/** Refusals that depend on the connection or the server, and not on the operation. */
const OF_CONNECTIONS = [
  'unknown_route',
  'too_many_pipelined',
  'disk_full',
  'not_admitted',
  'clock_wrong',
];

const JSON_TYPES = ['application/json', 'application/taxii+json;version=2.1'];

interface OpenApi {
  readonly paths: Record<string, Record<string, { responses: Record<string, Response> }>>;
  readonly components: object;
}

interface Response {
  readonly content?: Record<string, { readonly schema: object; readonly examples?: object }>;
}

function readOperations(app: App): readonly Operation[] {
  const { paths, components } = app.swagger() as unknown as OpenApi;
  const compile = schemaCompiler(components);
  // Like the server: a literal path takes precedence over one with parameters.
  const written = Object.entries(paths).sort(
    ([one], [other]) => parameterCount(one) - parameterCount(other),
  );
  return written.flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { responses }]) => ({
      // Paths of some protocols end with a slash, which the document leaves out.
      path: new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]*')}/?$`),
      method: method.toUpperCase(),
      documents: (status) => Object.hasOwn(responses, status),
      codesOf: (status) =>
        Object.values(responses[status]?.content ?? {}).flatMap(({ examples = {} }) =>
          Object.keys(examples),
        ),
      validatorOf(status) {
        const schema = JSON_TYPES.flatMap(
          (type) => responses[status]?.content?.[type]?.schema ?? [],
        )[0];
        return schema && compile(schema);
      },
    })),
  );
}

function parameterCount(path: string): number {
  return path.split('{').length;
}

/** Compiles schemas lazily, because most responses of a run are of a few kinds. */
function schemaCompiler(components: object): (schema: object) => ValidateFunction {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  const compiled = new Map<string, ValidateFunction>();
  return (schema) => {
    const key = JSON.stringify(schema);
    const validate = compiled.get(key) ?? ajv.compile({ components, ...schema });
    compiled.set(key, validate);
    return validate;
  };
}
