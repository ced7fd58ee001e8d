import type { ShownC2, ShownHost } from '../../client/wire.ts';
import { fields } from './show.ts';
import { table } from './table.ts';

/** A few lines about a C2 or a host, and the newest of its reports and samples. */
export function showKnown(known: ShownC2 | ShownHost): string {
  const { host, service, pattern, reports, samples, families } = known;
  const statuses = Object.entries(reports.statuses)
    .filter(([, count]) => count > 0)
    .map(([status, count]) => `${count} ${status}`);
  const total = `${reports.totalIsLowerBound ? 'more than ' : ''}${reports.total}`;
  const summary = fields([
    ['address', 'c2' in known ? known.c2 : host],
    ['service', service === null ? 'none declares it' : `${service} (${pattern})`],
    ['reports', [total, statuses.join(', ')].filter(Boolean).join(': ')],
    ['reported', seen(reports)],
    ['families', families.map(({ name }) => name).join(', ') || 'none'],
    ['samples', `${samples.newest.length}${samples.hasMore ? ' and more' : ''}`],
  ]);
  return [summary, reportTable(known), sampleTable(known)].filter(Boolean).join('\n\n');
}

function seen({ firstReportedAt, lastReportedAt }: ShownC2['reports']): string {
  return firstReportedAt === null ? 'never' : `${firstReportedAt} to ${lastReportedAt}`;
}

function reportTable({ reports: { newest } }: ShownC2 | ShownHost): string {
  if (newest.length === 0) return '';
  return table(
    ['REPORT', 'SERVICE', 'STATUS', 'C2', 'NAME', 'REPORTED'],
    newest.map((report) => [
      report.id,
      report.service,
      report.status,
      report.c2Address,
      report.name,
      report.reportedAt,
    ]),
  );
}

function sampleTable({ samples: { newest } }: ShownC2 | ShownHost): string {
  if (newest.length === 0) return '';
  return table(
    ['SHA-256', 'FILE', 'TAGS'],
    newest.map(({ sha256Hash, fileName, tags }) => [
      sha256Hash,
      fileName,
      tags.map(({ name }) => name).join(', '),
    ]),
  );
}
