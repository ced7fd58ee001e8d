import { z } from 'zod';
import { ROLES } from '../../domain/accounts/caller.ts';
import { QUOTA_PERIODS } from '../../domain/accounts/quota.ts';

/** The shapes of answers, for the OpenAPI document. Tests hold every answer against it. */

export const utc = z.string().meta({
  description: 'YYYY-MM-DDTHH:MM:SSZ',
  format: 'date-time',
  examples: ['2026-08-26T10:00:00Z'],
});
const sometimes = utc.nullable();
export const uuid = z.string().meta({ format: 'uuid' });

export function hex(digits: number) {
  return z.string().meta({ pattern: `^[0-9a-f]{${digits}}$` });
}

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
    id: uuid,
    name: z
      .string()
      .meta({ description: 'The family that our analysis of the file found, else the first tag' }),
    tags: list(z.string()),
    c2Address: z.string().meta({ description: '<host>:<port>' }),
    reportedAt: z
      .string()
      .meta({ description: 'UTC, YYYY-MM-DD HH:MM:SS', examples: ['2026-08-26 10:00:00'] }),
    reportedBy: z.string(),
    file256Hash: hex(64),
    firstSeenID: uuid.meta({
      description: 'The oldest report of this C2 in this feed when this one was made',
    }),
    referenceLink: z.string(),
    confidenceScore: z.int(),
  })
  .meta({ id: 'Report', description: 'A report as it stands in its feed' });

export const reportCreated = z
  .strictObject({ id: uuid, successful: z.literal(true) })
  .meta({ id: 'CreatedReport', description: 'The report is in the feed' });
export const reportFetched = z
  .strictObject({ report, successful: z.literal(true) })
  .meta({ id: 'FetchedReport', description: 'The report' });
export const reportDeleted = z
  .strictObject({ message: z.string(), success: z.literal(true) })
  .meta({ id: 'DeletedReport', description: 'It is deleted. The flag is named `success` here.' });

export const tag = z.strictObject({ heat: z.int().min(1).max(10), name: z.string() });

export const analysis = z
  .strictObject({
    date: utc,
    tags: list(tag),
    ssDeep: z.string(),
    configs: z.record(z.string(), z.record(z.string(), z.unknown())),
    mD5Hash: hex(32),
    fileName: z.string(),
    sha1Hash: hex(40),
    blake3Hash: hex(64),
    sha256Hash: hex(64),
    sha512Hash: hex(128),
    sizeInBytes: z.int().min(0),
    staticAnalysisDuration: z.string().meta({ examples: ['00:00:00.0427370'] }),
  })
  .meta({ id: 'AnalysisReport', description: 'What static analysis found in a file' });

export const sampleSubmitted = z
  .strictObject({
    blake3Hash: hex(64),
    sha256Hash: hex(64),
    status: z.enum(['queued', 'done', 'failed']),
  })
  .meta({ id: 'SubmittedSample', description: 'The file is taken' });

export const sampleState = z
  .strictObject({
    status: z.enum(['queued', 'running', 'done', 'failed', 'unknown']),
    reason: z.string().optional().meta({ description: 'Why it failed' }),
  })
  .meta({ id: 'SampleState', description: 'How far the analysis is' });

export const foundSamples = z
  .strictObject({
    results: z.array(
      z.strictObject({
        hash: z.string().meta({ description: 'As it was sent' }),
        status: z
          .union([z.literal(200), z.literal(400), z.literal(404)])
          .meta({ description: 'What a lookup of it would have answered' }),
        report: analysis.optional(),
      }),
    ),
    successful: z.literal(true),
  })
  .meta({ id: 'FoundSamples', description: 'A result for each hash, in order' });

export const similarSamples = z
  .strictObject({
    similar: list(
      z.strictObject({
        sha256Hash: hex(64),
        score: z.int().min(0).max(100),
        fileName: z.string(),
        tags: list(tag),
      }),
    ),
    successful: z.literal(true),
  })
  .meta({ id: 'SimilarSamples', description: 'Files that are alike, best first, at most 50' });

const inMember = z.string().optional().meta({
  description: 'The way through containers to where it was seen; absent for the file itself',
});

const details = z
  .strictObject({
    evidence: z.array(
      z.strictObject({
        tag: z.string(),
        heat: z.int().min(1).max(10),
        source: z
          .string()
          .meta({ description: 'The parser, rule or extractor', examples: ['extractor:xworm'] }),
        offset: z.int().optional(),
        note: z.string().optional(),
        member: inMember,
      }),
    ),
    indicators: z
      .array(
        z.strictObject({
          kind: z.string().meta({ examples: ['url', 'address', 'discord-webhook'] }),
          value: z.string(),
          offset: z.int(),
          member: inMember,
        }),
      )
      .meta({ description: 'What in the bytes points outside. It was not contacted.' }),
    facts: z
      .record(z.string(), z.record(z.string(), z.unknown()))
      .meta({ description: 'What was read, by format: `pe`, `elf`, …' }),
    members: z
      .array(
        z.strictObject({
          path: z.string(),
          sizeBytes: z.int(),
          sha256: hex(64),
          type: z.string(),
        }),
      )
      .meta({ description: 'What was inside of it and was looked at as well' }),
    c2s: z
      .array(
        z.strictObject({
          host: z.string().meta({ examples: ['evil.example'] }),
          port: z.int().min(1).max(65_535),
          family: z.string().meta({ examples: ['XWORM'] }),
        }),
      )
      .optional()
      .meta({
        description:
          'The addresses in the settings of families, at most 1000; a search finds the file by them. Absent in ' +
          'analyses that were made before settings were read.',
      }),
  })
  .meta({ id: 'AnalysisDetails', description: 'Why a report says what it says' });

export const detailsFound = z
  .strictObject({ details, successful: z.literal(true) })
  .meta({ id: 'FoundDetails', description: 'What the report stands on' });

/** As bytes: JSON schemas say nothing of what is in it. */
export const sampleZip = {
  description: 'A zip with one member, named by its SHA-256; the password is `infected`',
  content: {
    'application/zip': {
      schema: z
        .unknown()
        .meta({ type: 'string', format: 'binary', contentMediaType: 'application/zip' }),
    },
  },
};

export const balance = z
  .strictObject({
    requests_left: z.int().nullable().meta({ description: 'null: no limit' }),
    expiration_date: sometimes,
    created_at: utc,
  })
  .meta({ id: 'Balance', description: 'What is left to the account' });

const service = z
  .strictObject({
    slug: z.string(),
    name: z.string(),
    confidenceScale: z.int(),
    hosts: list(z.string()),
    networks: list(z.string()),
    expireAfterDays: z.int().min(1).meta({
      description: 'Days after its last sighting at which a report expires',
    }),
    createdAt: utc,
  })
  .meta({ id: 'Service', description: 'A service and its feed' });

export const serviceAnswer = z
  .strictObject({ service })
  .meta({ id: 'ServiceAnswer', description: 'The service as it is now' });
export const serviceList = z
  .strictObject({ services: list(service) })
  .meta({ id: 'ServiceList', description: 'All services' });

const account = z
  .strictObject({
    id: uuid,
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
  .meta({
    id: 'Account',
    description: 'Who calls: its roles, the feeds it owns, its lookup quota',
  });

export const accountAnswer = z
  .strictObject({ account })
  .meta({ id: 'AccountAnswer', description: 'The account as it is now' });
export const accountAdded = z
  .strictObject({ account, token: z.string().meta({ description: 'Shown this once' }) })
  .meta({ id: 'AddedAccount', description: 'The new account and its first token' });
export const accountList = z
  .strictObject({
    accounts: list(account),
    nextCursor: z
      .string()
      .nullable()
      .meta({ description: 'Asks for the page after this one; null where there is none' }),
    hasMore: z.boolean(),
  })
  .meta({ id: 'AccountList', description: 'Accounts by name' });

const tokenFields = {
  id: uuid,
  hint: z.string().meta({ description: 'How the token begins' }),
  label: z.string(),
  createdAt: utc,
  expiresAt: sometimes,
  lastUsedAt: sometimes,
  revokedAt: sometimes,
  issuedBy: uuid.nullable().meta({
    description: 'The id of the token with which it was issued; null where an operator did it',
  }),
};

export const token = z
  .strictObject(tokenFields)
  .meta({ id: 'Token', description: 'What is known of a token: never the token itself' });
export const tokenList = z
  .strictObject({
    tokens: list(token),
    hasMore: z.boolean(),
    nextCursor: z.string().nullable().meta({ description: 'Hand it back as `cursor`' }),
  })
  .meta({ id: 'TokenList', description: 'Tokens of the account, revoked ones included' });

export const tokenIssued = z
  .strictObject({ token: z.string().meta({ description: 'Shown this once' }), ...tokenFields })
  .meta({ id: 'IssuedToken', description: 'The new token' });

const audit = z
  .strictObject({
    id: z.int(),
    at: utc,
    actor: z.string(),
    action: z.string(),
    subject: z.string(),
    detail: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'AuditEntry', description: 'One administrative act' });
export const auditPage = z
  .strictObject({ entries: list(audit) })
  .meta({ id: 'AuditPage', description: 'Acts, newest first' });

export const done = z
  .strictObject({ message: z.string(), successful: z.literal(true) })
  .meta({ id: 'Done', description: 'It is done' });

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
  .meta({ id: 'Imported', description: 'What became of the lines' });

export const health = z
  .strictObject({
    status: z.string(),
    details: z
      .strictObject({
        analysis: z.strictObject({
          queued: z.int().min(0).meta({ description: 'Samples that wait or are being analysed' }),
          isolation: z
            .strictObject({ means: list(z.string()), lacks: list(z.string()) })
            .nullable()
            .meta({ description: 'How samples are set apart; null where none are analysed here' }),
        }),
      })
      .optional()
      .meta({ description: 'For administrators alone' }),
  })
  .meta({ id: 'Health', description: 'All is well' });

/** The refusals that a route may give, all of one shape. That we fail can happen on any. */
export function refusals(...statuses: number[]): Record<number, typeof failure> {
  return Object.fromEntries([...statuses, 500, 503].map((status) => [status, failure]));
}
