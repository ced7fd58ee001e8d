import { z } from 'zod';
import { parseAccountName } from '../../domain/accounts/account-name.ts';
import { parseC2Address } from '../../domain/reports/c2-address.ts';
import { CONFIRMATIONS } from '../../domain/reports/confirmation.ts';
import type { ReportFilter } from '../../domain/reports/feed-filter.ts';
import { isTag, MAX_TAG_LENGTH, MAX_TAGS } from '../../domain/reports/report.ts';
import { DEFAULT_STATISTICS_DAYS, MAX_STATISTICS_DAYS } from '../../domain/reports/statistics.ts';
import { parseSha256 } from '../../domain/samples/file-hash.ts';
import {
  ACCOUNT_NAME,
  C2_INPUT,
  CURSOR,
  HOST_INPUT,
  INSTANT,
  integerFormat,
  SHA256,
  visible,
} from '../openapi/text-formats.ts';
import { REPORT_STATUSES } from '../responses/report-schemas.ts';
import { parseInstant } from './admin-fields.ts';
import { listOf } from './bounded-list.ts';
import {
  field,
  flagText,
  integerBetween,
  integerText,
  parsed,
  strictObject,
} from './field-rules.ts';

/** Query parameters of routes that read feeds. The desk accepts the same filters in a body. */

/**
 * Parses a host into its stored form. Accepts defanged hosts, and IPv6 with or without brackets.
 */
export function parseHost(text: string): string | undefined {
  const isBareIpv6 = text.includes(':') && !text.startsWith('[');
  return parseC2Address(`${isBareIpv6 ? `[${text}]` : text}:1`)?.host;
}

const TIME_RULE = 'a time of the form YYYY-MM-DDTHH:MM:SSZ';
const TAG_RULE = `a text of 1 to ${MAX_TAG_LENGTH} visible characters, at most ${MAX_TAGS} of them`;
const NAME_RULE = `a text of 1 to ${MAX_TAG_LENGTH} visible characters`;
const PORT_RULE = 'an integer from 1 to 65535';
const CONFIDENCE_RULE = 'an integer from 0 to 100';

const tag = z.string().refine(isTag).meta(visible(MAX_TAG_LENGTH));
const tagOrTags = z.union([tag.transform((one) => [one]), listOf(tag, { min: 1, max: MAX_TAGS })]);
const tags = tagOrTags
  // A parameter that is given once is a list of one.
  .meta({
    type: 'array',
    items: { type: 'string', ...visible(MAX_TAG_LENGTH) },
    minItems: 1,
    maxItems: MAX_TAGS,
  })
  .optional();
const flag = flagText.transform((text) => text === 'true').meta({ type: 'boolean' });

export const filters = {
  created_after: field(TIME_RULE, parsed(parseInstant, INSTANT).optional(), {
    details: 'Only reports that were created at this time or later',
    example: '2026-08-26T10:00:00Z',
  }),
  created_before: field(TIME_RULE, parsed(parseInstant, INSTANT).optional(), {
    details: 'Only reports that were created before this time',
    example: '2026-08-27T10:00:00Z',
  }),
  name: field(NAME_RULE, tag.optional(), {
    details:
      'The name of the report: the family, else its first tag. The case of letters does not matter',
    example: 'LANTERN',
  }),
  tag: field(TAG_RULE, tags, {
    details: 'If given more than once, the report must have all of them',
  }),
  host: field('a DNS name, an IPv4 or an IPv6 address', parsed(parseHost, HOST_INPUT).optional(), {
    details: 'The host of the C2; subdomains do not match',
    example: 'tunnel.ply.example',
  }),
  domain: field('a DNS name', parsed(parseHost, HOST_INPUT).optional(), {
    details: 'The host of the C2, or a name above it',
    example: 'ply.example',
  }),
  port: field(PORT_RULE, integerText(1, 65_535).optional()),
  c2: field('"<host>:<port>"', parsed(parseC2Address, C2_INPUT).optional(), {
    details: 'Host and port in one parameter',
    example: 'tunnel.ply.example:4444',
  }),
  hash: field('a SHA-256 of 64 hexadecimal digits', parsed(parseSha256, SHA256).optional(), {
    details: 'The hash of the file',
  }),
  reporter: field('the name of an account', parsed(parseAccountName, ACCOUNT_NAME).optional()),
  min_confidence: field(CONFIDENCE_RULE, integerText(0, 100).optional(), {
    details: 'On the scale of the service',
  }),
  confirmation: field(`one of ${CONFIRMATIONS.join(', ')}`, z.enum(CONFIRMATIONS).optional(), {
    details: 'Whether the settings in the file name the C2',
  }),
  misrouted: field('true or false', flag.optional(), {
    details: 'Whether another service than that of the feed answers for the C2',
  }),
  status: field(`one of ${REPORT_STATUSES.join(', ')}`, z.enum(REPORT_STATUSES).optional(), {
    details: 'Every status but `expired` by default',
  }),
};

export const C2_TWICE = 'c2 holds host and port: it cannot be combined with host or port.';

interface Addressed {
  readonly c2?: unknown;
  readonly host?: unknown;
  readonly port?: unknown;
}

export function namesC2Once({ c2, host, port }: Addressed): boolean {
  return c2 === undefined || (host === undefined && port === undefined);
}

function pageSize(max: number) {
  return field(`an integer from 1 to ${max}`, integerText(1, max).optional(), {
    details: '100 by default',
  });
}

export const DEFAULT_PAGE_SIZE = 100;

/** A page of a list without filters. */
export const cursorQuery = strictObject({
  limit: pageSize(1000),
  cursor: z
    .string()
    .optional()
    .meta({ description: '`nextCursor` of the previous page', ...CURSOR }),
});

export const listQuery = strictObject({
  limit: pageSize(1000),
  cursor: z
    .string()
    .optional()
    .meta({
      description: '`nextCursor` of the previous page, with the same filters and order',
      ...CURSOR,
    }),
  order: field('asc or desc', z.enum(['asc', 'desc']).optional(), {
    details: 'By creation; desc (newest first) by default',
  }),
  ...filters,
  count: field('true or false', flagText.optional(), {
    details: 'Whether to return the number of matching reports in `total`, counted up to 10,000',
  }),
}).refine(namesC2Once, { error: C2_TWICE });

/** In a body, numbers and booleans are those of JSON. */
export const filterBody = strictObject({
  ...filters,
  tag: field(TAG_RULE, tagOrTags.optional()),
  port: field(PORT_RULE, z.int().min(1).max(65_535).optional()),
  min_confidence: field(CONFIDENCE_RULE, z.int().min(0).max(100).optional()),
  misrouted: field('true or false', z.boolean().optional()),
})
  .refine(namesC2Once, { error: C2_TWICE })
  .refine((filter) => Object.keys(filter).length > 0, {
    error: `filter must have at least one of ${Object.keys(filters).join(', ')}.`,
  })
  .meta({
    minProperties: 1,
    not: { required: ['c2'], anyOf: [{ required: ['host'] }, { required: ['port'] }] },
  });

export function toFilter(query: z.output<typeof filterBody>): ReportFilter {
  return {
    createdAfter: query.created_after,
    createdBefore: query.created_before,
    name: query.name,
    tags: query.tag,
    host: query.c2?.host ?? query.host,
    domain: query.domain,
    port: query.c2?.port ?? query.port,
    sha256: query.hash,
    reporter: query.reporter,
    minConfidence: query.min_confidence,
    confirmation: query.confirmation,
    misrouted: query.misrouted,
    status: query.status,
  };
}

const lastDays = (byDefault: number) =>
  field(
    `an integer from 1 to ${MAX_STATISTICS_DAYS}`,
    integerText(1, MAX_STATISTICS_DAYS).optional(),
    { details: `The last UTC days, the current one included; ${byDefault} by default` },
  );

export const statisticsQuery = strictObject({ days: lastDays(DEFAULT_STATISTICS_DAYS) });

export const scorecardQuery = strictObject({ days: lastDays(MAX_STATISTICS_DAYS) });

/** The position after the last change. */
export const HEAD = 'head';

/** A number of the feed or the word. */
const SINCE = {
  anyOf: [integerFormat(0, Number.MAX_SAFE_INTEGER), { type: 'string', const: HEAD }],
};

function parseSince(text: string): number | typeof HEAD | undefined {
  return text === HEAD ? HEAD : integerBetween(0, Number.MAX_SAFE_INTEGER)(text);
}

const since = field('a number of the feed, or "head"', parsed(parseSince, SINCE).optional(), {
  details: '"head" is the last number',
  example: '17',
});

const sinceOfAll = z
  .string()
  .optional()
  .meta({
    description:
      '`next` or `head` of an earlier response, the id of an event of the stream, 0 for all changes, or "head"',
    pattern: `^(?:0|${HEAD}|[A-Za-z0-9_-]{23,})$`,
  });

export const changesQuery = strictObject({ since, limit: pageSize(1000) });
export const changesOfAllQuery = strictObject({ since: sinceOfAll, limit: pageSize(1000) });

const resume = {
  last_event_id: z.string().optional().meta({
    description: 'Like the header `Last-Event-ID`, for clients that cannot set one',
  }),
  ticket: z
    .string()
    .optional()
    .meta({
      description: 'Replaces the token in browsers, which cannot set a header here',
      ...CURSOR,
    }),
};

export const streamQuery = strictObject({ since, ...resume });
export const streamOfAllQuery = strictObject({ since: sinceOfAll, ...resume });
