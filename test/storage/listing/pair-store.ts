import type { ReportFilter } from '../../../src/domain/reports/feed-filter.ts';
import type { ListQuery } from '../../../src/ports/feed-store.ts';
import type { Dialect } from '../../../src/storage/units/query.ts';
import { AT, fillStatements, idOf } from '../plans/large-store.ts';

/** The feed with the reports. */
const FEED = idOf('service', 1);
const HASH = 'b'.repeat(64);
const MIDDLE = new Date(AT);
const HOUR_MS = 3_600_000;
const before = new Date(MIDDLE.getTime() - HOUR_MS).toISOString();
const after = new Date(MIDDLE.getTime() + HOUR_MS).toISOString();

/**
 * Every tenth report has the value of one of these filters, and no report has two, so a page of two
 * filters is scanned as far as the limit allows. Those of the second list match most reports.
 */
const TENTHS: Readonly<Record<string, ReportFilter>> = {
  tag: { tags: ['one'] },
  'another tag': { tags: ['two'] },
  host: { host: 'tenth.example' },
  c2: { host: 'c2.example', port: 8443 },
  port: { port: 8080 },
  hash: { sha256: HASH },
  reporter: { reporter: 'tenth' },
  min_confidence: { minConfidence: 90 },
  status: { status: 'acknowledged' },
};
const MOST: Readonly<Record<string, ReportFilter>> = {
  'a tag of all': { tags: ['rat'] },
  'status open': { status: 'open' },
  domain: { domain: 'example' },
  created_before: { createdBefore: MIDDLE },
  created_after: { createdAfter: MIDDLE },
};

/** All pairs of filters that may be combined, by their names. */
function pairs(): readonly (readonly [name: string, filter: ReportFilter])[] {
  const all = Object.entries({ ...TENTHS, ...MOST });
  return all.flatMap(([one, first], index) =>
    all.slice(index + 1).flatMap(([other, second]): [string, ReportFilter][] => {
      const common = Object.keys(first).filter((name) => name !== 'tags' && name in second);
      if (common.length > 0) return [];
      const tags = [...(first.tags ?? []), ...(second.tags ?? [])];
      const filter = { ...first, ...second, ...(tags.length > 0 && { tags }) };
      return [[`${one} and ${other}`, filter]];
    }),
  );
}

/** A page of the feed, or of all feeds. */
export function pagesOf(filter: ReportFilter): readonly ListQuery[] {
  const page = { filter, after: undefined, limit: 100 };
  return [
    { ...page, scope: FEED, order: 'asc' },
    { ...page, scope: FEED, order: 'desc' },
    { ...page, scope: undefined, order: 'desc' },
  ];
}

/** Fills an empty store with reports of which each tenth matches one filter. */
export function pairStatements(dialect: Dialect, reports: number): readonly string[] {
  const time = (text: string) => `'${text}'${dialect === 'postgres' ? '::timestamptz' : ''}`;
  const filled = fillStatements(dialect, reports).filter((sql) =>
    /insert into (?:service|account|report|report_tag) /.test(sql),
  );
  const tenth = (rest: number, value: string, other: string) =>
    `case when number % 10 = ${rest} then ${value} else ${other} end`;
  const host = `case number % 10 when 2 then 'tenth.example' when 3 then 'c2.example'
    else 'host' || number || '.example' end`;
  const port = `case number % 10 when 3 then 8443 when 4 then 8080 else 443 end`;
  return [
    ...filled,
    `update report set host = ${host}, port = ${port},
      sha256 = ${tenth(5, `'${HASH}'`, `'${'a'.repeat(64)}'`)},
      reported_by = ${tenth(6, "'tenth'", "'other'")},
      confidence = ${tenth(7, '95', '50')},
      status = ${tenth(8, "'acknowledged'", "'open'")},
      reported_at = case when number <= ${reports / 2} then ${time(before)} else ${time(after)} end`,
    ...['one', 'two'].map(
      (tag, rest) =>
        `insert into report_tag (service_id, tag, number)
        select 1, '${tag}', number from report where number % 10 = ${rest}`,
    ),
    ...['tenth.example', 'c2.example'].map(
      (name) =>
        `insert into host_report (service_id, host, number)
        select 1, host, number from report where host = '${name}'`,
    ),
  ];
}

/** The work of a page or a count with that filter on one store. */
export type Measure = (filter: ReportFilter) => Promise<number> | number;

/**
 * Names the pairs whose cost depends on the store: in the larger one, which has four times as many
 * reports, it is at most a quarter higher.
 */
export async function growingPairs(small: Measure, large: Measure, limit: number) {
  const growing: string[] = [];
  let most = 0;
  for (const [name, filter] of pairs()) {
    const costs = [await small(filter), await large(filter)] as const;
    most = Math.max(most, ...costs);
    if (costs[1] > 1.25 * costs[0] + limit / 10 || costs[1] > limit)
      growing.push(`${name}: ${costs.join(' → ')}`);
  }
  return { growing, most };
}

export const SMALL = 15_000;
export const LARGE = 60_000;
