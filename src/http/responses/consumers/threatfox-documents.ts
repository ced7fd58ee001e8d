import { z } from 'zod';
import type { ExportedReport } from '../../../domain/reports/exported-report.ts';
import type { IndicatorHosts } from '../../../domain/reports/indicator-hosts.ts';
import type { Service } from '../../../domain/services/service.ts';
import { type Ioc, iocsOf, isPublished } from '../../../exports/threatfox/iocs.ts';
import type { FoundReports } from '../../../operations/reports/find-iocs.ts';
import { failure } from '../schemas.ts';
import { labelLists } from './threatfox-labels.ts';

/** Finds the scale of a report's confidence. */
export type FindService = (slug: string) => Promise<Service | undefined>;

export interface IocContext {
  readonly findService: FindService;
  readonly hosts: IndicatorHosts;
}

/** Which indicators are sent, and how many of them. */
export interface IocSelection {
  readonly matches: (ioc: Ioc) => boolean;
  readonly limit: number;
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
  { matches, limit }: IocSelection,
): Promise<AsyncGenerator<string> | undefined> {
  const texts = iocTexts(found, context, { matches, limit });
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
  { matches, limit }: IocSelection,
): AsyncGenerator<string, void> {
  let left = limit;
  for await (const reports of parts) {
    const texts: string[] = [];
    for (const report of reports)
      for (const ioc of await iocsOfReport(report, context))
        if (matches(ioc) && texts.length < left) texts.push(JSON.stringify(ioc));
    left -= texts.length;
    if (texts.length > 0) yield texts.join();
    if (left === 0) return;
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

const submission = z.strictObject({
  ok: z.array(z.string()),
  ignored: z.array(z.string()),
  duplicated: z.array(z.string()).meta({ description: 'Always empty: each makes a report' }),
});

export const threatfoxReply = z
  .strictObject({
    query_status: z.string().meta({ description: '`ok`, `no_result`, or what was wrong' }),
    data: z
      .union([z.array(ioc), ioc, submission, ...labelLists])
      .optional()
      .meta({
        description:
          'Indicators, newest first; of the query `ioc` a single one. Of `types`, `tag_list` and `malware_list` objects by name, of `get_label` the families, of `submit_ioc` what became of each indicator',
      }),
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
