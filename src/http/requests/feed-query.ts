import { z } from 'zod';
import { parseAccountName } from '../../domain/accounts/caller.ts';
import { parseC2Address } from '../../domain/reports/c2-address.ts';
import type { ReportFilter } from '../../domain/reports/feed-filter.ts';
import { isTag, MAX_TAG_LENGTH, MAX_TAGS } from '../../domain/reports/report.ts';
import { parseSha256 } from '../../domain/samples/file-hash.ts';
import { REPORT_STATUSES } from '../responses/report-schemas.ts';
import { parseInstant } from './admin-fields.ts';
import { exactly, parsed, ruled } from './field-rules.ts';

/** What stands behind the question mark of calls that read feeds; filters also stand in the body of the desk. */

const MOST = Number.MAX_SAFE_INTEGER;

/** A host as it is kept: canonical, IPv6 with or without its brackets, defanged or not. */
export function parseHost(text: string): string | undefined {
  const isBareIpv6 = text.includes(':') && !text.startsWith('[');
  return parseC2Address(`${isBareIpv6 ? `[${text}]` : text}:1`)?.host;
}

export function parseWhole(from: number, to: number) {
  return (text: string): number | undefined => {
    const number = /^(?:0|[1-9][0-9]{0,15})$/.test(text) ? Number(text) : Number.NaN;
    return number >= from && number <= to ? number : undefined;
  };
}

const TIME_RULE = 'a time of the form YYYY-MM-DDTHH:MM:SSZ';
const TAG_RULE = `a text of 1 to ${MAX_TAG_LENGTH} visible characters, at most ${MAX_TAGS} of them`;
const PORT_RULE = 'an integer from 1 to 65535';
const CONFIDENCE_RULE = 'an integer from 0 to 100';

const tag = z.string().refine(isTag);
const tags = z.union([tag.transform((one) => [one]), z.array(tag).min(1).max(MAX_TAGS)]).optional();

const filters = {
  created_after: ruled(TIME_RULE, parsed(parseInstant).optional(), {
    also: 'Only reports that were created then or later',
    example: '2026-08-26T10:00:00Z',
  }),
  created_before: ruled(TIME_RULE, parsed(parseInstant).optional(), {
    also: 'Only reports that were created earlier',
    example: '2026-08-27T10:00:00Z',
  }),
  tag: ruled(TAG_RULE, tags, { also: 'More than one: the report must have all' }),
  host: ruled('a DNS name, an IPv4 or an IPv6 address', parsed(parseHost).optional(), {
    also: 'The host of the C2, exactly',
    example: 'tunnel.ply.example',
  }),
  port: ruled(PORT_RULE, parsed(parseWhole(1, 65_535)).optional()),
  c2: ruled('"<host>:<port>"', parsed(parseC2Address).optional(), {
    also: 'Host and port at once',
    example: 'tunnel.ply.example:4444',
  }),
  hash: ruled('a SHA-256 of 64 hexadecimal digits', parsed(parseSha256).optional(), {
    also: 'Of the file',
  }),
  reporter: ruled('the name of an account', parsed(parseAccountName).optional()),
  min_confidence: ruled(CONFIDENCE_RULE, parsed(parseWhole(0, 100)).optional(), {
    also: 'On the scale of the service',
  }),
  status: ruled(`one of ${REPORT_STATUSES.join(', ')}`, z.enum(REPORT_STATUSES).optional(), {
    also: 'Every status but `expired` by default',
  }),
};

const C2_TWICE = 'c2 is host and port at once: leave those out beside it.';

interface Addressed {
  readonly c2?: unknown;
  readonly host?: unknown;
  readonly port?: unknown;
}

function namesC2Once({ c2, host, port }: Addressed): boolean {
  return c2 === undefined || (host === undefined && port === undefined);
}

function page(most: number) {
  return ruled(`an integer from 1 to ${most}`, parsed(parseWhole(1, most)).optional(), {
    also: '100 by default',
  });
}

export const DEFAULT_PAGE = 100;

/** A page of a list without filters. */
export const cursorQuery = exactly({
  limit: page(1000),
  cursor: z.string().optional().meta({ description: '`nextCursor` of the page before' }),
});

export const listQuery = exactly({
  limit: page(1000),
  cursor: z.string().optional().meta({
    description: '`nextCursor` of the page before, with the same filters and order as there',
  }),
  order: ruled('asc or desc', z.enum(['asc', 'desc']).optional(), {
    also: 'By creation; desc, the newest first, by default',
  }),
  ...filters,
  count: ruled('true or false', z.enum(['true', 'false']).optional(), {
    also: 'Whether to tell how many fit in `total`, counted up to 10,000',
  }),
}).refine(namesC2Once, { error: C2_TWICE });

/** In JSON numbers are numbers. */
export const filterBody = exactly({
  ...filters,
  port: ruled(PORT_RULE, z.int().min(1).max(65_535).optional()),
  min_confidence: ruled(CONFIDENCE_RULE, z.int().min(0).max(100).optional()),
})
  .refine(namesC2Once, { error: C2_TWICE })
  .refine((filter) => Object.keys(filter).length > 0, {
    error: `filter must have at least one of ${Object.keys(filters).join(', ')}.`,
  });

export function toFilter(query: z.output<typeof filterBody>): ReportFilter {
  return {
    createdAfter: query.created_after,
    createdBefore: query.created_before,
    tags: query.tag,
    host: query.c2?.host ?? query.host,
    port: query.c2?.port ?? query.port,
    sha256: query.hash,
    reporter: query.reporter,
    minConfidence: query.min_confidence,
    status: query.status,
  };
}

/** Where nobody has read anything after. */
export const HEAD = 'head';

function parseSince(text: string): number | typeof HEAD | undefined {
  return text === HEAD ? HEAD : parseWhole(0, MOST)(text);
}

const since = ruled('a number of the feed, or "head"', parsed(parseSince).optional(), {
  also: '"head" is its last one',
  example: '17',
});

const sinceOfAll = z.string().optional().meta({
  description:
    '`next` or `head` of an earlier answer, the id of an event of the stream, 0 for everything, or "head"',
});

export const changesQuery = exactly({ since, limit: page(1000) });
export const changesOfAllQuery = exactly({ since: sinceOfAll, limit: page(1000) });

const resume = {
  lastEventId: z.string().optional().meta({
    description: 'As the header `Last-Event-ID`, for those who cannot set one',
  }),
  ticket: z.string().optional().meta({
    description: 'Instead of a token, for browsers, which can set no header here',
  }),
};

export const streamQuery = exactly({ since, ...resume });
export const streamOfAllQuery = exactly({ since: sinceOfAll, ...resume });

export const streamHeaders = z.object({
  'last-event-id': z.string().optional().meta({
    description: 'The id of the last event that was received: the stream goes on after it',
  }),
});
