import { z } from 'zod';
import { MAX_CREATES_BURST, MAX_CREATES_PER_MINUTE } from '../../domain/accounts/account-limits.ts';
import {
  MAX_ACCOUNT_NAME_LENGTH,
  parseNewAccountName,
} from '../../domain/accounts/account-name.ts';
import { ROLES } from '../../domain/accounts/caller.ts';
import { DEFAULT_QUOTA, QUOTA_PERIODS } from '../../domain/accounts/quota.ts';
import { LINK_PURPOSES } from '../../domain/accounts/session.ts';
import { isVisible } from '../../domain/reports/report.ts';
import {
  DEFAULT_EXPIRE_AFTER_DAYS,
  MAX_EXPIRE_AFTER_DAYS,
  parseHostPattern,
  parseNetwork,
  parseNewServiceSlug,
} from '../../domain/services/service.ts';
import { parseDay } from '../../domain/utc-days.ts';
import {
  ACCOUNT_NAME,
  HOST_PATTERN,
  INSTANT,
  NETWORK,
  SLUG,
  visible,
  visibleOrEmpty,
} from '../openapi/text-formats.ts';
import { listOf } from './bounded-list.ts';
import { field, parsed, strictObject } from './field-rules.ts';
import { mailField } from './mail-fields.ts';

const MAX_UNITS = 1_000_000_000;

const serviceFields = {
  name: field(
    'a text of 1 to 128 visible characters',
    z.string().max(128).refine(isVisible).meta(visible(128)).optional(),
  ),
  confidenceScale: field('an integer from 1 to 100', z.int().min(1).max(100).optional()),
  hosts: field(
    'a list of at most 1000 host names, each with or without "*." before it',
    listOf(parsed(parseHostPattern, HOST_PATTERN), { max: 1000 }).optional(),
    {
      details:
        'An address is one in full. Public suffixes such as co.uk, under which anyone can register names, are refused',
      example: ['*.ply.example'],
    },
  ),
  networks: field(
    'a list of at most 1000 networks in CIDR notation',
    listOf(parsed(parseNetwork, NETWORK), { max: 1000 }).optional(),
    { details: 'No bits after the prefix are set', example: ['203.0.113.0/24'] },
  ),
  expireAfterDays: field(
    `an integer from 1 to ${MAX_EXPIRE_AFTER_DAYS}`,
    z.int().min(1).max(MAX_EXPIRE_AFTER_DAYS).optional(),
    {
      details: `Days after its last sighting at which a report expires; ${DEFAULT_EXPIRE_AFTER_DAYS} by default`,
    },
  ),
  mail: mailField,
};

export const serviceBody = strictObject({
  slug: field(
    '1 to 63 lower-case letters, digits and hyphens, not beginning with a hyphen, and neither "all" nor "unclaimed"',
    parsed(parseNewServiceSlug, SLUG),
    { example: 'ply' },
  ),
  ...serviceFields,
});

export const serviceChanges = strictObject(serviceFields);

const EXPIRY_RULE = 'a time of the form YYYY-MM-DDTHH:MM:SSZ, or null for none';

const QUOTA_RULE = `{limit, period}: limit an integer from 0 to ${MAX_UNITS} or null for none, period one of ${QUOTA_PERIODS.join(', ')}`;
const LIMIT_RULE = `an integer from 0 to ${MAX_UNITS}, or null for no limit`;
const limit = z.int().min(0).max(MAX_UNITS).nullable();
const PERIOD_RULE = `one of ${QUOTA_PERIODS.join(', ')}`;
const period = z.enum(QUOTA_PERIODS);

const CREATE_RATE_RULE = `{perMinute, burst}: perMinute an integer from 1 to ${MAX_CREATES_PER_MINUTE}, burst an integer from 1 to ${MAX_CREATES_BURST}; or null for the rate of the server`;

const accountFields = {
  roles: field(
    `a list of any of ${ROLES.join(', ')}`,
    listOf(z.enum(ROLES), { max: 10 }).optional(),
  ),
  services: field(
    'a list of names of services that exist',
    listOf(z.string().max(63).meta(SLUG), { max: 1000 }).optional(),
    { example: ['ply'] },
  ),
  createRate: field(
    CREATE_RATE_RULE,
    z
      .strictObject({
        perMinute: field(
          `an integer from 1 to ${MAX_CREATES_PER_MINUTE}`,
          z.int().min(1).max(MAX_CREATES_PER_MINUTE),
        ),
        burst: field(
          `an integer from 1 to ${MAX_CREATES_BURST}`,
          z.int().min(1).max(MAX_CREATES_BURST),
        ),
      })
      .nullish(),
    { details: 'How many reports the account may create at once, and then per minute' },
  ),
  expiresAt: field(EXPIRY_RULE, parsed(parseInstant, INSTANT).nullish()),
};

export const accountBody = strictObject({
  name: field(
    `a text of 1 to ${MAX_ACCOUNT_NAME_LENGTH} visible characters without space at its ends, and with letters of one script`,
    parsed(parseNewAccountName, ACCOUNT_NAME),
    { example: 'alice', details: 'A name that looks like that of another account is refused' },
  ),
  ...accountFields,
  quota: field(
    QUOTA_RULE,
    z
      .strictObject({
        limit: field(LIMIT_RULE, limit.default(DEFAULT_QUOTA.limit)),
        period: field(PERIOD_RULE, period.default(DEFAULT_QUOTA.period)),
      })
      .optional(),
  ),
});

export const accountChanges = strictObject({
  ...accountFields,
  quota: field(
    QUOTA_RULE,
    z
      .strictObject({
        limit: field(LIMIT_RULE, limit.optional()),
        period: field(PERIOD_RULE, period.optional()),
      })
      .optional(),
    { details: 'Absent members stay unchanged' },
  ),
  topUp: field(`an integer from 1 to ${MAX_UNITS}`, z.int().min(1).max(MAX_UNITS).optional(), {
    details: 'Units that are spent last and never expire',
  }),
  disabled: field('true or false', z.boolean().optional()),
});

export const tokenBody = strictObject({
  label: field(
    'a text of at most 64 visible characters',
    z
      .string()
      .max(64)
      .refine((text) => text === '' || isVisible(text))
      .meta(visibleOrEmpty(64))
      .optional(),
  ),
  expiresAt: field(EXPIRY_RULE, parsed(parseInstant, INSTANT).nullish()),
}).optional();

export const signInBody = strictObject({
  link: field(
    'the secret of a sign-in link, which follows "#" in the link',
    z.string().max(200).meta({ pattern: '^ral_[A-Za-z0-9_-]{38}$' }).optional(),
  ),
}).optional();

export const linkBody = strictObject({
  purpose: field(
    'sign-in (valid for 15 minutes) or invitation (valid for 7 days)',
    z.enum(LINK_PURPOSES).optional(),
  ),
}).optional();

export const reanalysisBody = strictObject({
  before: field(
    'a time of the form YYYY-MM-DDTHH:MM:SSZ',
    parsed(parseInstant, INSTANT).optional(),
    {
      details: 'Files whose last analysis ended before that; now by default, and at most',
      example: '2026-11-16T10:00:00Z',
    },
  ),
}).optional();

export const revokeQuery = z.object({
  issued: field('true or false', parsed(parseFlag, { type: 'boolean' }).optional(), {
    details:
      'Whether to revoke every token that was issued with it, directly or indirectly. false by default',
  }),
});

export const endSessionsQuery = z.object({
  issued: field('true or false', parsed(parseFlag, { type: 'boolean' }).optional(), {
    details:
      'Whether to revoke every token that was issued in a session of the account, and those issued with them. false by default',
  }),
});

function parseFlag(text: string): boolean | undefined {
  return text === 'true' || text === 'false' ? text === 'true' : undefined;
}

/** ISO 8601 with a time zone. */
export function parseInstant(text: string): Date | undefined {
  const [, day] =
    /^(\d{4}-\d\d-\d\d)T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d)$/.exec(text) ?? [];
  if (day === undefined || parseDay(day) === undefined) return undefined;
  const date = new Date(text);
  // A zone offset can move the date beyond the four-digit years, which cannot be stored or
  // compared.
  const inRange = date.getTime() >= Date.UTC(1970, 0) && date.getTime() < Date.UTC(10_000, 0);
  return inRange ? date : undefined;
}
