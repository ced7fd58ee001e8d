import { z } from 'zod';
import { ROLES } from '../../domain/accounts/caller.ts';
import { QUOTA_PERIODS } from '../../domain/accounts/quota.ts';
import { TOKEN_ORIGINS } from '../../domain/accounts/token-origin.ts';
import { CHARGED_OPERATIONS } from '../../domain/accounts/usage.ts';
import { mailSettings } from './deliveries/mail-schemas.ts';
import { NEVER, UNLIMITED } from './present.ts';
import { day, list, nextCursor, secretToken, slug, utc, utcOrNull, uuid } from './schemas.ts';

export const balance = z
  .strictObject({
    requests_left: z
      .int()
      .min(0)
      .meta({ description: `${UNLIMITED}: no limit` }),
    expiration_date: utc.meta({ description: `${NEVER}: never` }),
    created_at: utc,
  })
  .meta({ id: 'Balance', description: 'The remaining quota of the account' });

const serviceFields = {
  slug,
  name: z.string(),
  confidenceScale: z.int().min(1).max(100),
  hosts: list(z.string()),
  verifiedHosts: list(z.string()).meta({
    description: 'Those of `hosts` that the service has proven to own',
  }),
  networks: list(z.string()),
  expireAfterDays: z.int().min(1).meta({
    description: 'Days after its last sighting at which a report expires',
  }),
  createdAt: utc,
};

const service = z
  .strictObject({
    ...serviceFields,
    openReports: z.int().min(0).nullable().meta({
      description: 'Reports with the status `open`; null while older reports are being counted',
    }),
  })
  .meta({ id: 'Service', description: 'A service and its feed' });

const administeredService = z
  .strictObject({
    ...serviceFields,
    mail: mailSettings.nullable().meta({ description: 'null: it gets no mail' }),
  })
  .meta({ id: 'AdministeredService', description: 'A service with its mail settings' });

export const serviceResponse = z
  .strictObject({ service: administeredService })
  .meta({ id: 'ServiceAnswer', description: 'The service as it is now' });
export const serviceList = z
  .strictObject({ services: list(administeredService) })
  .meta({ id: 'ServiceList', description: 'All services' });

export const servicePage = z
  .strictObject({
    services: list(service),
    nextCursor,
    hasMore: z.boolean(),
    successful: z.literal(true),
  })
  .meta({ id: 'ServicePage', description: 'Services by slug' });

const chargedToken = z
  .strictObject({
    id: uuid,
    label: z.string(),
    hint: z.string().meta({ description: 'How the token begins' }),
  })
  .meta({ id: 'ChargedToken', description: 'A token, also one that was revoked since' });

const usageEntry = z
  .strictObject({
    operation: z.string().meta({
      description: `What was charged: ${CHARGED_OPERATIONS.join(', ')}`,
      examples: [...CHARGED_OPERATIONS],
    }),
    token: chargedToken.nullable().meta({
      description:
        'The token of the calls, or of their session; null for sessions from sign-in links',
    }),
    units: z.int().min(1),
    firstAt: utc.meta({ description: 'The first charge of the day' }),
    lastAt: utc.meta({ description: 'The last charge of the day' }),
  })
  .meta({ id: 'UsageEntry', description: 'The units of a day, a token and an operation' });

const usageDay = z
  .strictObject({
    day,
    units: z.int().min(0),
    itemised: z.boolean().meta({
      description:
        'Whether the entries of all pages add up to the units. false for days before the server recorded entries',
    }),
    entries: list(usageEntry),
  })
  .meta({ id: 'UsageDay', description: 'The units of a day and what they were charged for' });

export const usageShown = z
  .strictObject({
    days: list(usageDay).meta({
      description: 'The days of the query, or the last 90, oldest first',
    }),
    nextCursor,
    hasMore: z.boolean(),
    successful: z.literal(true),
  })
  .meta({ id: 'Usage', description: 'The units that the account was charged on each day' });

export const accountFields = {
  id: uuid,
  name: z.string(),
  roles: list(z.enum(ROLES)),
  services: list(slug),
  quota: z.strictObject({
    limit: z.int().min(0).nullable(),
    period: z.enum(QUOTA_PERIODS),
    remaining: z.int().min(0).nullable(),
    resetsAt: utcOrNull,
  }),
  createRate: z
    .strictObject({ perMinute: z.int().min(1), burst: z.int().min(1) })
    .nullable()
    .meta({
      description:
        'How many reports the account may create at once, and then per minute; null: the rate of the server',
    }),
  disabled: z.boolean(),
  expiresAt: utcOrNull,
  createdAt: utc,
};

const account = z.strictObject(accountFields).meta({
  id: 'Account',
  description: 'An account: its roles, the feeds it owns, its lookup quota',
});

export const accountResponse = z
  .strictObject({ account })
  .meta({ id: 'AccountAnswer', description: 'The account as it is now' });
export const accountAdded = z
  .strictObject({ account, token: secretToken })
  .meta({ id: 'AddedAccount', description: 'The new account and its first token' });
export const accountList = z
  .strictObject({
    accounts: list(account),
    nextCursor,
    hasMore: z.boolean(),
  })
  .meta({ id: 'AccountList', description: 'Accounts by name' });

export const tokenFields = {
  id: uuid,
  hint: z.string().meta({ description: 'How the token begins' }),
  label: z.string(),
  createdAt: utc,
  expiresAt: utcOrNull,
  lastUsedAt: utcOrNull,
  revokedAt: utcOrNull,
  issuedBy: uuid.nullable().meta({
    description:
      'The id of the token with which it was issued; null if an operator, or a session from a sign-in link, issued it',
  }),
  issuedVia: z.enum(TOKEN_ORIGINS).meta({
    description:
      'Who issued it: the account in a session, or with a token; an administrator; an operator on the command line; unknown for tokens that are older than this record',
  }),
};

export const token = z
  .strictObject(tokenFields)
  .meta({ id: 'Token', description: 'The properties of a token, never the token itself' });
export const tokenList = z
  .strictObject({
    tokens: list(token),
    hasMore: z.boolean(),
    nextCursor,
  })
  .meta({ id: 'TokenList', description: 'Tokens of the account, revoked ones included' });

export const tokenIssued = z
  .strictObject({ token: secretToken, ...tokenFields })
  .meta({ id: 'IssuedToken', description: 'The new token' });

const audit = z
  .strictObject({
    id: z.int().min(1),
    at: utc,
    actor: z.string(),
    action: z.string(),
    subject: z.string(),
    detail: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'AuditEntry', description: 'An administrative action' });
export const auditPage = z
  .strictObject({
    entries: list(audit),
    nextBefore: z
      .int()
      .nullable()
      .meta({ description: '`before` of the next page; null on the last page' }),
  })
  .meta({ id: 'AuditPage', description: 'Administrative actions, newest first' });
