import type { ExportedReport } from '../../domain/reports/exported-report.ts';
import { BlockList, openList } from '../block-list.ts';
import { hostKind } from '../characters.ts';
import { percentOf } from '../confidence.ts';
import type { ExportContext, ExportWriter } from '../exporter.ts';

/** Suricata has categories 1 to 60; other feeds start at the lower end. */
export const CATEGORY = { id: 57, short: 'RapsheetC2', text: 'Reported C2 servers' };

/** 0 would mean that there is no score. */
const MAX_SCORE = 127;

export function openCategories(context: ExportContext): ExportWriter {
  const list = openList(context, {
    commentSign: '#',
    title: 'Rapsheet categories of reputation for Suricata',
    preamble: `${CATEGORY.id},${CATEGORY.short},${CATEGORY.text}\n`,
    key: () => '',
    omission: () => undefined,
    write: () => '',
  });
  // The category does not depend on the reports.
  return { start: list.start, report: () => '', end: list.end };
}

/** Each address with the highest score of its reports. */
export function openReputation(context: ExportContext): ExportWriter {
  const hosts = new BlockList(context, 'host');
  const omission = (report: ExportedReport) =>
    hosts.omission(report) ?? (hostKind(report.c2.host) === 'name' ? 'name' : undefined);
  let pending: { readonly host: string; score: number } | undefined;
  const takePending = () => {
    const line = pending === undefined ? '' : `${pending.host},${CATEGORY.id},${pending.score}\n`;
    pending = undefined;
    return line;
  };
  const list = openList(context, {
    commentSign: '#',
    title: 'Rapsheet reputation of addresses for Suricata',
    key: ({ c2 }) => c2.host,
    omission,
    write(report) {
      const before = takePending();
      pending = { host: report.c2.host, score: scoreOf(report, context) };
      return before;
    },
    rest: takePending,
  });
  return {
    start: list.start,
    report(report) {
      if (pending?.host === report.c2.host && omission(report) === undefined)
        pending.score = Math.max(pending.score, scoreOf(report, context));
      return list.report(report);
    },
    end: list.end,
  };
}

function scoreOf(report: ExportedReport, context: ExportContext): number {
  return Math.max(
    1,
    Math.round((percentOf(report, context.services.get(report.service)) * MAX_SCORE) / 100),
  );
}
