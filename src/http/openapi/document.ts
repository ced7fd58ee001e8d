import swagger, { type FastifyDynamicSwaggerOptions } from '@fastify/swagger';
import type { FastifySchema, RouteOptions } from 'fastify';
import {
  createJsonSchemaTransform,
  createJsonSchemaTransformObject,
} from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { App } from '../fastify-types.ts';
import { validate } from '../requests/field-rules.ts';
import { SESSION_COOKIE } from '../session-cookie.ts';
import { RESPONSE_HEADERS } from './headers.ts';
import { type Document, finishDocument, ROUTE_NOTES, type RouteNotes } from './operations.ts';

const INFO = {
  title: 'Rapsheet',
  version: '1',
  description:
    'Abuse reports that reach the abused service, and static analysis reports by file hash.\n\nErrors are `{error, successful: false}`; the stable code for programs is in `X-Error-Code`.',
  license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
};

const TAGS = [
  { name: 'Feeds', description: 'Reports in the feeds of services: create, fetch, delete, follow' },
  { name: 'MISP', description: 'Feeds in the format of MISP' },
  { name: 'Desk', description: 'The status that a service sets on the reports in its feed' },
  { name: 'Trust', description: 'The outcomes of reports, by reporter and by service' },
  { name: 'Webhooks', description: 'Changes of a feed, sent to its owners' },
  { name: 'Mail', description: 'New reports, sent by mail to a service that prefers it' },
  { name: 'Ownership', description: 'Proofs that a service owns the hosts that it declares' },
  { name: 'Samples', description: 'Static analysis reports by file hash' },
  { name: 'Proposals', description: 'Reports that the analyses of your uploads propose' },
  { name: 'TAXII', description: 'Feeds as collections of STIX objects, for pollers of TAXII 2.1' },
  { name: 'Account', description: 'What callers do with their own account' },
  { name: 'Administration', description: 'Services, accounts, tokens and data; role `admin`' },
  { name: 'Health', description: 'Liveness and readiness' },
];

const TOKEN = {
  type: 'apiKey' as const,
  in: 'header',
  name: 'Authorization',
  description:
    'The token, `Bearer <token>`, `Token <token>`, or Basic with the token as password, or as user name with any password. Without this header, the token may be in `X-Api-Key`, `Auth-Key` or `API-KEY`. Each operation lists the role that it needs.',
};

const SESSION = {
  type: 'apiKey' as const,
  in: 'cookie',
  name: SESSION_COOKIE,
  description:
    'The session of a browser, from `POST /session`; with the prefix `__Host-` over https. It is used if no token is sent, and only from pages of this server. A request that changes something or takes a unit of the quota must carry the header `X-Rapsheet-Request: 1`.',
};

/** Well above the largest possible report. */
export const BODY_LIMIT = 64 * 1024;

type Transform = NonNullable<FastifyDynamicSwaggerOptions['transform']>;
type TransformObject = NonNullable<FastifyDynamicSwaggerOptions['transformObject']>;

/** Builds the OpenAPI document from the route schemas, so the two cannot disagree. */
export async function openApi(app: App): Promise<void> {
  const options = { schemaRegistry: z.globalRegistry, zodToJsonConfig: { override: tidySchema } };
  const transformSchema = createJsonSchemaTransform(options) as Transform;
  const addSchemas = createJsonSchemaTransformObject(options);
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: INFO,
      servers: [{ url: '/', description: 'This server' }],
      tags: TAGS,
      components: {
        securitySchemes: { token: TOKEN, session: SESSION },
        headers: RESPONSE_HEADERS,
      },
      security: [{ token: [] }, { session: [] }],
    },
    convertConstToEnum: false,
    transform: (input) => {
      const { schema, url } = transformSchema(input);
      return { schema: { ...schema, [ROUTE_NOTES]: notesOf(input.route, input.schema) }, url };
    },
    // The plugin's types are wider than what it produces for OpenAPI 3.1.
    transformObject: ((input) =>
      finishDocument(addSchemas(input) as unknown as Document)) as TransformObject,
  });
}

/** The properties of a route that the document needs but its schema does not hold. */
function notesOf(route: RouteOptions, schema: FastifySchema | undefined): RouteNotes {
  return {
    access: route.config?.access ?? 'public',
    bodyType: route.config?.bodyType,
    bodyIsOptional: schema?.body instanceof z.ZodOptional,
    bodyLimit: route.bodyLimit ?? BODY_LIMIT,
    ...statedProblems(schema),
    responseHeaders: schema?.responseHeaders ?? {},
  };
}

function statedProblems(schema: FastifySchema | undefined) {
  return {
    invalidBody: statedProblem(schema?.body, membersOneByOne),
    invalidQuery:
      statedProblem(schema?.querystring, membersOneByOne) ??
      statedProblem(schema?.params, membersTogether),
  };
}

/** What the server says of a value without members, or else with one that is not valid. */
function statedProblem(schema: unknown, values: (names: readonly string[]) => readonly object[]) {
  if (!(schema instanceof z.ZodType)) return undefined;
  const inner = schema instanceof z.ZodOptional ? schema.unwrap() : schema;
  const names = inner instanceof z.ZodObject ? Object.keys(inner.shape) : [];
  for (const value of values(names)) {
    const checked = validate(schema, value);
    // Without rules, a schema only describes what the route checks itself.
    if ('problems' in checked && checked.problems.every((one) => !one.startsWith('Invalid input')))
      return checked.problems.join(' ');
  }
  return undefined;
}

const INVALID = '!';

const membersOneByOne = (names: readonly string[]) => [
  {},
  ...names.map((name) => ({ [name]: INVALID })),
  { unknown: true },
];

/** A path has all of its parameters. */
const membersTogether = (names: readonly string[]) => [
  Object.fromEntries(names.map((name) => [name, INVALID])),
];

function tidySchema({
  zodSchema,
  jsonSchema,
}: {
  zodSchema: z.core.$ZodType;
  jsonSchema: z.core.JSONSchema.BaseSchema;
}): void {
  const meta = z.globalRegistry.get(zodSchema);
  // A query is text, which the server reads as another type. Only that type is documented.
  if (meta?.['type'] !== undefined || meta?.['anyOf'] !== undefined) replaceType(jsonSchema, meta);
  // Zod omits the examples of transformed schemas, although they describe the input.
  const examples = meta?.['examples'];
  if (Array.isArray(examples)) jsonSchema.examples = examples;
  // Descriptions are Markdown, which would treat "<host>" as an HTML tag and hide it.
  const { description } = jsonSchema;
  if (description !== undefined) jsonSchema.description = description.replace(/(?<!\\)</g, '\\<');
  // Removes the safe-integer bounds and the string type of property names, which every schema has.
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  if (JSON.stringify(jsonSchema.propertyNames) === '{"type":"string"}')
    delete jsonSchema.propertyNames;
}

function replaceType(
  schema: z.core.JSONSchema.BaseSchema,
  { type, anyOf, enum: values }: Readonly<Record<string, unknown>>,
): void {
  if (anyOf === undefined) delete schema.anyOf;
  if (type === undefined) delete schema.type;
  if (values === undefined) delete schema.enum;
}
