import type { ExportedReport } from '../domain/reports/exported-report.ts';
import { BlockList, type Omission } from './block-list.ts';
import { hostKind } from './characters.ts';
import type { ExportContext } from './exporter.ts';

/** Whether a rule for the C2 matches queries of its name, not connections to its address. */
export function isName({ c2 }: Pick<ExportedReport, 'c2'>): boolean {
  return hostKind(c2.host) === 'name';
}

/** What the rule matches. A query of a name has no port. */
export function targetOf(report: ExportedReport): string {
  const { host, port } = report.c2;
  return isName(report) ? host : `${host} ${port}`;
}

/** An address has its port, so a shared gateway can be matched; shared names are left out. */
export function targetOmission(
  context: ExportContext,
): (report: ExportedReport) => Omission | undefined {
  const endpoints = new BlockList(context, 'endpoint');
  const names = new BlockList(context, 'host');
  return (report) => (isName(report) ? names : endpoints).omission(report);
}
