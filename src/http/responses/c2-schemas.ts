import { z } from 'zod';
import { CONTACT_SOURCES } from '../../domain/contacts/contact.ts';
import { knownAs } from './list-schemas.ts';
import { extended } from './report-schemas.ts';
import { tag } from './sample-schemas.ts';
import { c2Address, day, feed, hex, list, nextCursor, slug, utc, utcOrNull } from './schemas.ts';
import { statusCounts } from './statistics/feed-schemas.ts';

const count = z.int().min(0);
const lowerBound = z
  .literal(true)
  .optional()
  .meta({ description: 'Present if there are more reports than were counted' });

const route = {
  service: slug.nullable().meta({
    description: 'The service that answers for the host, by its declared hosts and networks',
  }),
  feed,
  pattern: z
    .string()
    .nullable()
    .meta({ description: 'The most specific declared host or network that matches it' }),
  verified: z
    .boolean()
    .meta({ description: 'Whether the service has proven that it owns the pattern' }),
};

const origin = {
  asn: z
    .strictObject({
      number: z.int().min(1).max(4_294_967_295),
      name: z.string().optional(),
    })
    .optional()
    .meta({
      id: 'AutonomousSystem',
      description:
        'The autonomous system that announces the address; absent for names, and without RAPSHEET_ASN_DB',
    }),
  country: z
    .string()
    .regex(/^[A-Z]{2}$/)
    .optional()
    .meta({
      description:
        'The country of the address, ISO 3166-1 alpha-2; absent for names, and without RAPSHEET_COUNTRY_DB',
    }),
};
const knownAsOfHost = knownAs.meta({
  description: 'The lists that have the host; empty if none has',
});

const declaredPattern = {
  pattern: z.string().meta({ description: 'A declared host or network' }),
  service: slug,
  verified: z
    .boolean()
    .meta({ description: 'Whether the service has proven that it owns the pattern' }),
  publicSuffix: z.boolean().meta({
    description: 'Whether it is a public suffix of a registry, by which no C2 is routed',
  }),
};

export const overlapPage = z
  .strictObject({
    overlaps: list(
      z.strictObject({
        ...declaredPattern,
        within: z.strictObject(declaredPattern).meta({
          description: 'The most specific pattern of another service that contains it',
        }),
      }),
    ),
    nextCursor,
    hasMore: z.boolean(),
    successful: z.literal(true),
  })
  .meta({ id: 'OverlapPage', description: 'Patterns in patterns of other services' });

const contact = z
  .strictObject({
    source: z.enum(CONTACT_SOURCES).meta({
      description:
        'Who says so: the declaration of a `service`, the `directory` of providers, the registry of the `network`, or the `registrar` of the domain',
    }),
    name: z.string(),
    mail: z.string().optional().meta({ description: 'The mail address for reports of abuse' }),
    form: z.string().optional().meta({ description: 'The URL of a form for reports of abuse' }),
    range: z.string().optional().meta({ description: 'The network that has the address' }),
    suffix: z.string().optional().meta({ description: 'The host, or a name above it' }),
    checkedAt: utc.meta({ description: 'When this was last known to be true' }),
  })
  .meta({ id: 'Contact', description: 'Somebody who answers for an address' });

export const routeFound = z
  .strictObject({
    c2: c2Address.optional().meta({ description: 'Absent if only a host was given' }),
    host: z.string().meta({ description: 'In its canonical form' }),
    ...route,
    contacts: list(contact).meta({
      description: 'Everybody who answers for the host, the one to ask first',
    }),
    ...origin,
    knownAs: knownAsOfHost,
    successful: z.literal(true),
  })
  .meta({ id: 'FoundRoute', description: 'The service that answers for a C2, and whom to ask' });

const reports = z
  .strictObject({
    total: count.meta({
      description: 'Counted up to 1,000 in each of at most two feeds, fewer in each of more',
    }),
    totalIsLowerBound: lowerBound,
    statuses: statusCounts,
    firstReportedAt: utcOrNull,
    lastReportedAt: utcOrNull,
    countedSince: utcOrNull.meta({
      description: 'Earlier reports were not all counted; null if all reports were counted',
    }),
    feeds: list(
      z.strictObject({
        service: slug,
        total: count,
        totalIsLowerBound: lowerBound,
        statuses: statusCounts,
        firstReportedAt: utc,
        lastReportedAt: utc,
        c2Rejected: z.literal(true).optional().meta({
          description: 'Present if the desk of this feed has rejected this C2 as a false positive',
        }),
      }),
    ).meta({ description: 'The feeds with a report, the most reports first' }),
    reporters: z
      .strictObject({
        total: count.meta({
          description: 'Accounts with a counted report: at least so many if there are more reports',
        }),
        most: list(z.strictObject({ name: z.string(), reports: count })).meta({
          description: 'At most 20, the most counted reports first',
        }),
      })
      .meta({ id: 'ReportersOfC2', description: 'The accounts that reported it' }),
    days: list(z.strictObject({ day, reports: count })).meta({
      description: 'The counted reports of each of the last 90 UTC days, oldest first',
    }),
    newest: list(extended).meta({ description: 'At most 20, newest first, also expired ones' }),
    list: z.string().meta({
      description: 'The path that lists all reports but the expired ones',
      examples: ['/feed/all/reports?c2=evil.example%3A4444'],
    }),
  })
  .meta({ id: 'ReportsOfC2', description: 'The reports over all feeds' });

const samples = z
  .strictObject({
    newest: list(
      z.strictObject({
        sha256Hash: hex(64),
        fileName: z.string(),
        tags: list(tag).meta({ description: 'The five tags with the highest heat' }),
      }),
    ).meta({ description: 'At most 50, newest first' }),
    hasMore: z.boolean(),
  })
  .meta({ id: 'SamplesOfC2', description: 'The files whose configuration names the address' });

const known = {
  host: z.string(),
  ...route,
  ...origin,
  knownAs: knownAsOfHost,
  reports,
  samples,
  families: list(z.strictObject({ name: z.string(), reports: count, samples: count })).meta({
    description:
      'Names of the counted reports and families of the samples, at most 50, the most frequent first. Spellings that differ in the case of letters are counted together',
  }),
  successful: z.literal(true),
};

export const c2Shown = z
  .strictObject({ c2: c2Address, ...known })
  .meta({ id: 'ShownC2', description: 'What is known of a C2' });

export const hostShown = z
  .strictObject(known)
  .meta({ id: 'ShownHost', description: 'What is known of all C2s of a host' });
