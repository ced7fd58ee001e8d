import { z } from 'zod';
import { ROLES } from '../domain/caller.ts';
import { QUOTA_PERIODS } from '../domain/quota.ts';

/** The shapes of answers, for the OpenAPI document. Tests hold every answer against it. */

const utc = z
  .string()
  .meta({ description: 'YYYY-MM-DDTHH:MM:SSZ', examples: ['2026-08-26T10:00:00Z'] });
const sometimes = utc.nullable();

/** Handlers answer with lists they must not change. */
export function list<Item extends z.ZodType>(item: Item) {
  return z.array(item) as unknown as z.ZodType<readonly z.output<Item>[]>;
}

export const failure = z
  .strictObject({
    error: z.string().meta({ description: 'What was wrong and what is right, for people' }),
    successful: z.literal(false),
  })
  .meta({
    id: 'Failure',
    description: 'Every refusal. `X-Error-Code` has the stable word for programs.',
  });

export const report = z
  .strictObject({
    id: z.string(),
    name: z
      .string()
      .meta({ description: 'The family that our analysis of the file found, else the first tag' }),
    tags: list(z.string()),
    c2Address: z.string().meta({ description: '<host>:<port>' }),
    reportedAt: z
      .string()
      .meta({ description: 'UTC, YYYY-MM-DD HH:MM:SS', examples: ['2026-08-26 10:00:00'] }),
    reportedBy: z.string(),
    file256Hash: z.string(),
    firstSeenID: z
      .string()
      .meta({ description: 'The oldest report of this C2 in this feed when this one was made' }),
    referenceLink: z.string(),
    confidenceScore: z.int(),
  })
  .meta({ id: 'Report' });

export const reportCreated = z.strictObject({ id: z.string(), successful: z.literal(true) });
export const reportFetched = z.strictObject({ report, successful: z.literal(true) });
export const reportDeleted = z
  .strictObject({ message: z.string(), success: z.literal(true) })
  .meta({ description: 'The flag is named `success` here.' });

export const analysis = z
  .strictObject({
    date: utc,
    tags: z.array(z.strictObject({ heat: z.int().min(1).max(10), name: z.string() })),
    ssDeep: z.string(),
    configs: z.record(z.string(), z.record(z.string(), z.unknown())),
    mD5Hash: z.string(),
    fileName: z.string(),
    sha1Hash: z.string(),
    blake3Hash: z.string(),
    sha256Hash: z.string(),
    sha512Hash: z.string(),
    sizeInBytes: z.int(),
    staticAnalysisDuration: z.string().meta({ examples: ['00:00:00.0427370'] }),
  })
  .meta({ id: 'AnalysisReport' });

export const balance = z
  .strictObject({
    requests_left: z.int().nullable().meta({ description: 'null: no limit' }),
    expiration_date: sometimes,
    created_at: utc,
  })
  .meta({ id: 'Balance' });

export const service = z
  .strictObject({
    slug: z.string(),
    name: z.string(),
    confidenceScale: z.int(),
    hosts: list(z.string()),
    networks: list(z.string()),
    createdAt: utc,
  })
  .meta({ id: 'Service' });

export const account = z
  .strictObject({
    id: z.string(),
    name: z.string(),
    roles: list(z.enum(ROLES)),
    services: list(z.string()),
    quota: z.strictObject({
      limit: z.int().nullable(),
      period: z.enum(QUOTA_PERIODS),
      remaining: z.int().nullable(),
      resetsAt: sometimes,
    }),
    disabled: z.boolean(),
    expiresAt: sometimes,
    createdAt: utc,
  })
  .meta({ id: 'Account' });

const tokenFields = {
  id: z.string(),
  hint: z.string(),
  label: z.string(),
  createdAt: utc,
  expiresAt: sometimes,
  lastUsedAt: sometimes,
  revokedAt: sometimes,
};

export const token = z.strictObject(tokenFields).meta({ id: 'Token' });

export const tokenIssued = z
  .strictObject({ token: z.string().meta({ description: 'Shown this once' }), ...tokenFields })
  .meta({ id: 'IssuedToken' });

export const audit = z
  .strictObject({
    id: z.int(),
    at: utc,
    actor: z.string(),
    action: z.string(),
    subject: z.string(),
    detail: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'AuditEntry' });

export const done = z.strictObject({ message: z.string(), successful: z.literal(true) });

export const imported = z
  .strictObject({
    added: z.int(),
    replaced: z.int(),
    unchanged: z.int(),
    refused: z.int(),
    refusals: z
      .array(z.strictObject({ line: z.int(), error: z.string() }))
      .meta({ description: 'The first thousand of the refused lines' }),
    successful: z.literal(true),
  })
  .meta({ id: 'Imported' });

export const health = z.strictObject({ status: z.string() });

/** The refusals that a route may give, all of one shape. */
export function refusals(...statuses: number[]): Record<number, typeof failure> {
  return Object.fromEntries(statuses.map((status) => [status, failure]));
}
