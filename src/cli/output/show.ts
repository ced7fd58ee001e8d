import type { Quota } from '../../client/error.ts';
import { UNLIMITED } from '../../client/headers.ts';
import type { AnalysisDetails, AnalysisReport, Balance, Report } from '../../client/wire.ts';
import { formatC2Address } from '../../domain/reports/c2-address.ts';
import { heading, heatText } from './style.ts';

/** Names and settings of malware are hostile: replaces characters that control a terminal. */
export function visible(text: string): string {
  return text.replace(/\p{C}/gu, '?');
}

export function showReport(report: Report): string {
  return fields([
    ['id', report.id],
    ['name', report.name],
    ['C2 address', report.c2Address],
    ['SHA-256', report.file256Hash],
    ['tags', report.tags.join(', ')],
    ['confidence', String(report.confidenceScore)],
    ['reported', `${report.reportedAt} by ${report.reportedBy}`],
    ['first seen', report.firstSeenID],
    ['link', report.referenceLink],
  ]);
}

export function showAnalysis(report: AnalysisReport): string {
  const tags = [...report.tags].sort((one, other) => other.heat - one.heat);
  return [
    visible(report.fileName),
    ...section(
      'tags, hottest first',
      tags.map(({ heat, name }) => `${heatText(heat)}  ${visible(name)}`),
    ),
    ...section('file', showFile(report)),
    ...Object.entries(report.configs).flatMap(([family, settings]) =>
      section(`config ${visible(family)}`, showSettings(settings)),
    ),
  ].join('\n');
}

/** C2 addresses, indicators and members; in full, the evidence of each tag and the facts too. */
export function showDetails(details: AnalysisDetails, full: boolean): string {
  const { indicators, members, evidence, facts, c2s = [], tlsh } = details;
  return [
    ...(tlsh === undefined ? [] : section('similarity', fields([['TLSH', tlsh]]).split('\n'))),
    ...listSection(
      'C2 addresses',
      c2s.map((c2) => visible(`${formatC2Address(c2)}  (${c2.family})`)),
      full,
    ),
    ...listSection(
      'points to',
      indicators.map(({ kind, value }) => visible(`${kind}  ${value}`)),
      full,
    ),
    ...listSection(
      'inside',
      members.map(({ path, type }) => visible(`${path}  (${type})`)),
      full,
    ),
    ...(full ? section('evidence', evidence.map(showEvidence)) : []),
    ...(full ? section('facts', JSON.stringify(facts, null, 2).split('\n').map(visible)) : []),
  ].join('\n');
}

const SHORT_LIST = 10;

function listSection(title: string, lines: readonly string[], full: boolean): readonly string[] {
  if (lines.length === 0) return [];
  const shown = full ? lines : lines.slice(0, SHORT_LIST);
  const omitted = lines.length - shown.length;
  return section(title, omitted > 0 ? [...shown, `… and ${omitted} more (--details)`] : shown);
}

function showEvidence({
  tag,
  source,
  offset,
  note,
  member,
}: AnalysisDetails['evidence'][number]): string {
  const at = offset === undefined ? '' : ` at ${offset}`;
  const inside = member === undefined ? '' : ` in ${member}`;
  return visible(`${tag}  ${source}${at}${inside}${note === undefined ? '' : `: ${note}`}`);
}

function showFile(report: AnalysisReport): readonly string[] {
  return fields([
    ['SHA-256', report.sha256Hash],
    ['SHA-512', report.sha512Hash],
    ['BLAKE3', report.blake3Hash],
    ['SHA-1', report.sha1Hash],
    ['MD5', report.mD5Hash],
    ['ssdeep', report.ssDeep],
    ['size', `${report.sizeInBytes} bytes`],
    ['analysed', `${report.date} in ${report.staticAnalysisDuration}`],
  ]).split('\n');
}

/** The server's expiration date of an account that does not expire. */
const NEVER = '9999-12-31T23:59:59Z';

export function showBalance(balance: Balance): string {
  const { requests_left, created_at, expiration_date } = balance;
  return fields([
    ['lookups left', requests_left === UNLIMITED ? 'unlimited' : String(requests_left)],
    ['account since', created_at],
    ['expires', expiration_date === NEVER ? 'never' : expiration_date],
  ]);
}

export function showQuota({ limit, remaining, resetsAt }: Quota): string {
  if (remaining === null) return 'Lookups are not limited.';
  const left = remaining === 1 ? '1 lookup is left' : `${remaining} lookups are left`;
  return resetsAt === null ? `${left}.` : `${left}; the quota of ${limit} resets at ${resetsAt}.`;
}

function showSettings(settings: Readonly<Record<string, unknown>>): readonly string[] {
  return fields(
    Object.entries(settings).map(([name, value]) => [
      name,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  ).split('\n');
}

function section(title: string, lines: readonly string[]): readonly string[] {
  return ['', heading(`${title}:`), ...lines.map((line) => `  ${line}`)];
}

/** One row per line, with the values in a column. */
export function fields(rows: readonly (readonly [name: string, value: string])[]): string {
  const shown = rows.map(([name, value]) => [visible(name), visible(value)] as const);
  if (shown.length === 0) return '-';
  const width = Math.max(...shown.map(([name]) => name.length));
  return shown.map(([name, value]) => `${name.padEnd(width)}  ${value}`.trimEnd()).join('\n');
}
