import type { ExportedReport } from '../../domain/reports/exported-report.ts';
import { type Omission, openList } from '../block-list.ts';
import type { ExportContext, ExportWriter } from '../exporter.ts';
import { targetOf, targetOmission } from '../rule-target.ts';
import { fileOmission } from '../sha256.ts';
import { CATEGORY } from './reputation.ts';
import { c2Rule, feedSid, formatRule, type Rule, sidOf } from './rule.ts';

/**
 * A rule for each C2. The ports of a name share one. `isSet` adds rules over the other files of the
 * set.
 */
export function openRules(context: ExportContext, isSet: boolean): ExportWriter {
  const omission = targetOmission(context);
  let hasFiles = false;
  const list = openList(context, {
    commentSign: '#',
    title: 'Rapsheet rules for Suricata',
    key: targetOf,
    omission: (report) => omission(report) ?? numberOmission(report, context),
    write: (report) => writeRule(report, context),
    rest: () => (isSet ? setRules(context, hasFiles) : ''),
  });
  return {
    start: list.start,
    report(report) {
      hasFiles ||= fileOmission(report, context) === undefined;
      return list.report(report);
    },
    end: list.end,
  };
}

function numberOmission({ number }: ExportedReport, context: ExportContext): Omission | undefined {
  return sidOf(number, context) === undefined ? 'unwritable' : undefined;
}

function writeRule(report: ExportedReport, context: ExportContext): string {
  const sid = sidOf(report.number, context);
  return sid === undefined ? '' : formatRule(c2Rule(report, sid, context));
}

/**
 * The rules for the names and addresses of the set are disabled: they would repeat the alerts of
 * the rules above. Those for names and files have no limit: it would hide all names but the first
 * that a client queries. Suricata refuses all rules if the list of files is empty.
 */
function setRules(context: ExportContext, hasFiles: boolean): string {
  const off = [
    feedRule(context, 1, {
      header: 'dns $HOME_NET any -> any any',
      message: 'query of a C2 name',
      match: `dns.query; ${dataset(context, 1, 'string', 'c2-domains.lst')}`,
    }),
    feedRule(context, 2, {
      header: 'ip $HOME_NET any -> any any',
      message: 'traffic to a C2 address',
      match: `ip.dst; ${dataset(context, 2, 'ip', 'c2-ips.lst')}`,
      limit: 'by_both',
    }),
    feedRule(context, 3, {
      header: 'ip $HOME_NET any -> any any',
      message: 'traffic to an address of C2 reputation',
      match: `iprep:dst,${CATEGORY.short},>,63;`,
      limit: 'by_both',
    }),
  ];
  const files = feedRule(context, 0, {
    header: 'http any any -> any any',
    message: 'transfer of a reported file',
    match: 'filesha256:samples.sha256;',
  });
  return [hasFiles ? files : '', ...off.map((rule) => `# ${rule}`)].join('');
}

function feedRule(
  context: ExportContext,
  index: 0 | 1 | 2 | 3,
  rule: Pick<Rule, 'header' | 'message' | 'match' | 'limit'>,
): string {
  return formatRule({
    ...rule,
    message: `Rapsheet ${context.feed} ${rule.message}`,
    reference: `${context.baseUrl}/feeds/${context.feed}`,
    sid: feedSid(index, context),
    rev: 1,
    metadata: { feed: context.feed },
  });
}

/** Only ever `isset`: the other commands let rules write files. */
function dataset(context: ExportContext, index: 1 | 2, type: string, file: string): string {
  return `dataset:isset,rapsheet-${feedSid(index, context)},type ${type},load ${file};`;
}
