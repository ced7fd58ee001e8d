import { z } from 'zod';
import type { ExportedReport } from '../../../domain/reports/exported-report.ts';
import type { IndicatorHosts } from '../../../domain/reports/indicator-hosts.ts';
import type { Service } from '../../../domain/services/service.ts';
import { type Ioc, iocsOf, isPublished } from '../../../exports/threatfox/iocs.ts';
import type { FoundReports } from '../../../operations/reports/find-iocs.ts';
import { failure } from '../schemas.ts';

/** Finds the scale of a report's confidence. */
export type FindService = (slug: string) => Promise<Service | undefined>;

export interface IocContext {
  readonly findService: FindService;
  readonly hosts: IndicatorHosts;
}

export async function iocsOfReport(
  report: ExportedReport,
  { findService, hosts }: IocContext,
): Promise<readonly Ioc[]> {
  return isPublished(report) ? iocsOf(report, await findService(report.service), hosts) : [];
}

/**
 * The indicators of the reports that match. Readers take an empty list for a failure, so there is
 * none: `undefined` if nothing matches.
 */
export async function threatfoxAnswer(
  found: FoundReports,
  context: IocContext,
  matches: (ioc: Ioc) => boolean,
): Promise<AsyncGenerator<string> | undefined> {
  const texts = iocTexts(found, context, matches);
  const first = await texts.next();
  return first.done ? undefined : documentOf(first.value, texts, found);
}

async function* documentOf(
  first: string,
  others: AsyncGenerator<string, void>,
  found: FoundReports,
): AsyncGenerator<string> {
  try {
    yield `{"query_status":"ok","data":[${first}`;
    for await (const text of others) yield `,${text}`;
    yield found.isCut() ? '],"limit_reached":true}' : ']}';
  } finally {
    await others.return();
  }
}

async function* iocTexts(
  { parts }: FoundReports,
  context: IocContext,
  matches: (ioc: Ioc) => boolean,
): AsyncGenerator<string, void> {
  for await (const reports of parts) {
    const texts: string[] = [];
    for (const report of reports)
      for (const ioc of await iocsOfReport(report, context))
        if (matches(ioc)) texts.push(JSON.stringify(ioc));
    if (texts.length > 0) yield texts.join();
  }
}

const ioc = z
  .strictObject({
    id: z.string().meta({ description: 'Odd: the C2 of a report. Even: its file' }),
    ioc: z.string(),
    threat_type: z.enum(['botnet_cc', 'payload']),
    threat_type_desc: z.string(),
    ioc_type: z.enum(['ip:port', 'domain', 'sha256_hash']),
    ioc_type_desc: z.string(),
    malware: z.string(),
    malware_printable: z.string(),
    malware_alias: z.null(),
    malware_malpedia: z.null(),
    confidence_level: z.int().min(0).max(100),
    first_seen: z.string().meta({ description: 'YYYY-MM-DD HH:MM:SS UTC' }),
    last_seen: z.null(),
    reference: z.string().nullable(),
    reporter: z.string(),
    tags: z.array(z.string()),
  })
  .meta({ id: 'Ioc', description: 'An indicator in the form of ThreatFox' });

export const threatfoxReply = z
  .strictObject({
    query_status: z.string().meta({ description: '`ok`, `no_result`, or what was wrong' }),
    data: z
      .union([z.array(ioc), ioc])
      .optional()
      .meta({ description: 'Newest first; of the query `ioc` a single one' }),
    message: z.string().optional().meta({ description: 'What is right instead' }),
    limit_reached: z
      .literal(true)
      .optional()
      .meta({ description: 'Older indicators were left out' }),
  })
  .meta({ id: 'ThreatfoxReply', description: 'The reply to a query, even one that is not valid' });

const threatfoxFailure = failure
  .extend({ query_status: z.string() })
  .meta({ id: 'ThreatfoxFailure', description: 'An error before the query was read' });

export function threatfoxRefusals(...statuses: number[]) {
  return Object.fromEntries(statuses.map((status) => [status, threatfoxFailure]));
}
