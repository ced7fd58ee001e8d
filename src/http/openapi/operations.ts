import type { Access } from '../gate/access.ts';
import type { ResponseHeader } from './headers.ts';
import { finishParameter, type Parameter, withBodyExample } from './parameter-examples.ts';
import { refusalExamples, sharedExamples } from './refusals/examples.ts';
import { type CodeSample, codeSamples } from './samples/code-samples.ts';
import { STIX_ID } from './text-formats.ts';

/** The parts of an OpenAPI document that this file reads or changes. */
interface Schema {
  readonly $ref?: string;
  readonly description?: string;
}

interface ResponseObject {
  readonly description: string;
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly content?: Readonly<Record<string, { readonly schema: Schema }>>;
}

interface RequestBody {
  readonly required?: boolean;
  readonly content: Readonly<Record<string, object>>;
}

interface Operation {
  readonly operationId?: string;
  readonly tags?: readonly string[];
  readonly summary?: string;
  readonly description?: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: RequestBody;
  readonly responses: Readonly<Record<string, ResponseObject>>;
  readonly 'x-codeSamples'?: readonly CodeSample[];
  readonly [ROUTE_NOTES]?: RouteNotes;
}

export interface Document {
  readonly openapi: string;
  readonly info: unknown;
  readonly servers: unknown;
  readonly tags: unknown;
  readonly security: unknown;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly examples?: Readonly<Record<string, unknown>>;
  };
}

/** The member that carries the notes of a route into the document; it is removed again. */
export const ROUTE_NOTES = 'x-route-notes';

export interface RouteNotes {
  readonly access: Access;
  /** The content type of the body, if it is not JSON. */
  readonly bodyType: string | undefined;
  readonly bodyIsOptional: boolean;
  readonly bodyLimit: number;
  /** What the server says of a body, and of a query or path, that is not valid. */
  readonly invalidBody?: string | undefined;
  readonly invalidQuery?: string | undefined;
  readonly responseHeaders: Readonly<Record<number, readonly ResponseHeader[]>>;
}

/** Streamed bodies, which have no route schema. */
const BODIES: Readonly<Record<string, object>> = {
  'application/x-ndjson': {
    type: 'string',
    pattern: '\\S',
    description: 'One JSON object per line',
  },
  'application/taxii+json;version=2.1': {
    type: 'object',
    properties: {
      objects: {
        type: 'array',
        minItems: 1,
        items: {
          type: 'object',
          properties: {
            id: { type: 'string', pattern: STIX_ID.pattern },
            type: { type: 'string', pattern: '^[a-z][a-z0-9-]+$' },
          },
          required: ['id', 'type'],
          additionalProperties: true,
        },
      },
    },
    required: ['objects'],
    description: 'An envelope; a bundle is accepted too',
  },
  'multipart/form-data': {
    type: 'object',
    properties: {
      file: {
        type: 'string',
        format: 'binary',
        contentMediaType: 'application/octet-stream',
        minLength: 1,
        description: 'The file, with its name',
      },
    },
    required: ['file'],
    additionalProperties: false,
  },
};

const REFUSALS: Readonly<Record<string, string>> = {
  400: 'The request is not valid; the text says why',
  401: 'The token or session is missing or not valid',
  403: 'The account may not do this, or a page of another origin made the request',
  404: 'The requested resource does not exist',
  406: 'The `Accept` header excludes the type of the answer',
  409: 'The request conflicts with the current state',
  410: 'The changes after this position have been deleted',
  413: 'The body is too large',
  415: 'The content type of the body is not accepted here',
  416: 'The file has no byte of the `Range`',
  422: 'The `Idempotency-Key` was used with another body, or an envelope could not be read',
  429: 'The quota is exhausted, a rate limit is exceeded, this address sent too many bad tokens, or too many connections are open',
  500: 'The server failed; nothing was charged',
  503: 'The server cannot answer at the moment; nothing was changed or charged',
};

/** Adds what route schemas cannot express, and removes unreferenced schemas. */
export function finishDocument(document: Document): Document {
  const { schemas } = document.components;
  const paths = Object.fromEntries(
    Object.entries(document.paths).map(([path, operations]) => [
      withoutSlash(path),
      mapEntries(operations, (method, operation) => {
        const url = withoutSlash(path);
        const finished = finishOperation(url, operation, schemas);
        return { ...finished, 'x-codeSamples': codeSamples(method, url, finished) };
      }),
    ]),
  );
  return {
    openapi: document.openapi,
    info: document.info,
    servers: document.servers,
    tags: document.tags,
    security: document.security,
    paths,
    components: {
      ...document.components,
      schemas: keepUsed(schemas, paths),
      examples: sharedExamples(paths),
    },
  };
}

/** Linters refuse a slash at the end. The server accepts both, and clients of TAXII send it. */
function withoutSlash(path: string): string {
  return path.replace(/(?<=.)\/$/, '');
}

function finishOperation(
  path: string,
  { [ROUTE_NOTES]: notes, responses, ...operation }: Operation,
  schemas: Document['components']['schemas'],
): Operation {
  if (notes === undefined) return { ...operation, responses };
  const parameters = operation.parameters?.map((one) =>
    finishParameter(one, operation.operationId),
  );
  const body = bodyOf(notes, operation);
  const examplesOf = refusalExamples({
    ...notes,
    operationId: operation.operationId ?? '',
    path,
    parameterNames: parameters?.map(({ name }) => name) ?? [],
    bodyType: Object.keys(body?.requestBody.content ?? {})[0],
  });
  return {
    ...operation,
    ...accessOf(notes, operation.description),
    ...(parameters && { parameters }),
    ...withBodyExample(body, operation.operationId),
    responses: mapEntries(responses, (status, response) => ({
      ...withRefusals(response, status, examplesOf),
      description: describeResponse(status, response, schemas),
      headers: headersOf(status, notes),
    })),
  };
}

/** Adds the answers that the server gives with this status, as examples. */
function withRefusals(
  response: ResponseObject,
  status: string,
  examplesOf: ReturnType<typeof refusalExamples>,
): ResponseObject {
  if (Number(status) < 400 || response.content === undefined) return response;
  const content = mapEntries(response.content, (type, media) => ({
    ...media,
    examples: examplesOf(Number(status), type),
  }));
  return { ...response, content };
}

/** OpenAPI 3.1 allows a scheme without scopes to list the required roles. */
function accessOf({ access }: RouteNotes, description: string | undefined) {
  if (access === 'public') return { security: [] };
  if (access === 'token') return {};
  if (access === 'owner')
    return { description: [description, 'For owners of the feed.'].filter(Boolean).join(' ') };
  if (access === 'owner-or-admin')
    return {
      description: [description, 'For owners of the feed and administrators.']
        .filter(Boolean)
        .join(' '),
    };
  return {
    description: [description, `Needs the role \`${access}\`.`].filter(Boolean).join(' '),
    security: [{ token: [access] }, { session: [access] }],
  };
}

function bodyOf(
  { bodyType, bodyIsOptional }: RouteNotes,
  { requestBody }: Omit<Operation, 'responses'>,
) {
  if (bodyType !== undefined) {
    return {
      requestBody: { required: true, content: { [bodyType]: { schema: BODIES[bodyType] } } },
    };
  }
  return requestBody && { requestBody: { ...requestBody, required: !bodyIsOptional } };
}

function describeResponse(
  status: string,
  { description, content }: ResponseObject,
  schemas: Document['components']['schemas'],
): string {
  const [first] = Object.values(content ?? {});
  const name = first?.schema.$ref?.split('/').at(-1) ?? '';
  return REFUSALS[status] ?? schemas[name]?.description ?? description;
}

function headersOf(status: string, { responseHeaders }: RouteNotes) {
  const names: ResponseHeader[] = ['X-Request-Id'];
  if (Number(status) >= 400) names.push('X-Error-Code');
  if (status === '401' || status === '403') names.push('WWW-Authenticate');
  if (status === '429' || status === '503') names.push('Retry-After');
  names.push(...(responseHeaders[Number(status)] ?? []));
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/**
 * Removes unreferenced schemas: each is generated as input and as output, but most are used as one.
 */
function keepUsed(
  schemas: Document['components']['schemas'],
  paths: Document['paths'],
): Document['components']['schemas'] {
  const used = new Set<string>();
  const follow = (part: unknown): void => {
    for (const [, name] of JSON.stringify(part).matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
      if (name === undefined || used.has(name)) continue;
      used.add(name);
      follow(schemas[name]);
    }
  };
  follow(paths);
  return Object.fromEntries(Object.entries(schemas).filter(([name]) => used.has(name)));
}

function mapEntries<From, To>(
  record: Readonly<Record<string, From>>,
  change: (key: string, value: From) => To,
): Record<string, To> {
  return Object.fromEntries(
    Object.entries(record).map(([key, value]) => [key, change(key, value)]),
  );
}
