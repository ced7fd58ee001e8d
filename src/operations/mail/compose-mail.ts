import { formatC2Address } from '../../domain/reports/c2-address.ts';
import { type Report, UNNAMED } from '../../domain/reports/report.ts';
import type { LeasedMail } from '../../ports/mail-store.ts';
import type { MailMessage, MailPart } from '../../ports/outgoing-mail.ts';

/** Writes reports in XARF, for the address of the sender. */
export interface XarfWriter {
  /** The id of the report in XARF. */
  id(report: Report): string;
  text(report: Report, confidenceScale: number, contact: string): string;
}

export interface MailContext {
  readonly xarf: XarfWriter;
  readonly from: string;
  readonly now: Date;
  /** Without a slash at its end. */
  readonly baseUrl: string;
}

/** The mail about the reports of a lease; `reports` are those that still exist, at least one. */
export function composeMail(
  leased: LeasedMail,
  reports: readonly [Report, ...Report[]],
  context: MailContext,
): MailMessage {
  const { destination } = leased;
  const { to, delivery } = destination;
  const [first] = reports;
  const common = { to, date: context.now };
  if (delivery === 'each')
    return {
      ...common,
      id: context.xarf.id(first),
      subject: `Abuse report: C2 server ${formatC2Address(first.c2)}`,
      kind: 'report',
      parts: feedbackReport(leased, first, context),
    };
  const what = reports.length === 1 ? '1 C2 server' : `${reports.length} C2 servers`;
  return {
    ...common,
    // The same for every attempt: the deliveries of a digest stay together.
    id: leased.deliveries[0]?.id ?? context.xarf.id(first),
    subject: `Abuse reports for ${destination.service}: ${what}`,
    kind: 'mixed',
    parts: [
      textPart(digestText(leased, reports, context)),
      ...reports.map((report) => attachment(leased, report, context)),
    ],
  };
}

/** A mail that only shows that mail arrives. */
export function composeTestMail(
  leased: LeasedMail,
  id: string,
  { now, baseUrl }: MailContext,
): MailMessage {
  const { to, service, format, delivery } = leased.destination;
  const how = delivery === 'each' ? 'one by one' : 'once a day';
  const text = textOf([
    `This is a test. New reports for ${leased.serviceName} will be sent to this address,`,
    `${how}, as ${format === 'xarf' ? 'XARF 4' : 'ARF (RFC 5965)'}. There is nothing to do.`,
    '',
    `The feed and its reports: ${baseUrl}/desk/${service}`,
  ]);
  const subject = `Test mail for ${service}`;
  return { id, to, subject, date: now, kind: 'mixed', parts: [textPart(text)] };
}

/** The three parts of a feedback report (RFC 5965, section 2). */
function feedbackReport(
  leased: LeasedMail,
  report: Report,
  context: MailContext,
): readonly MailPart[] {
  const text = textPart(reportText(leased, report, context));
  if (leased.destination.format === 'arf') return [text, arfPart(report), originalHeaders(report)];
  const fields = feedbackFields([
    ['Feedback-Type', 'xarf'],
    ['User-Agent', USER_AGENT],
    ['Version', '1'],
  ]);
  return [text, fields, xarfPart(leased, report, context, 'xarf.json')];
}

const USER_AGENT = 'Rapsheet/1';

function attachment(leased: LeasedMail, report: Report, context: MailContext): MailPart {
  const id = context.xarf.id(report);
  if (leased.destination.format === 'xarf')
    return xarfPart(leased, report, context, `xarf-${id}.json`);
  return { ...arfPart(report), filename: `report-${id}.txt` };
}

function xarfPart(
  { confidenceScale }: LeasedMail,
  report: Report,
  { xarf, from }: MailContext,
  filename: string,
): MailPart {
  const content = `${xarf.text(report, confidenceScale, from)}\n`;
  return {
    contentType: `application/json; name=${filename}`,
    content,
    encoding: 'base64',
    filename,
  };
}

function arfPart({ c2, reportedAt }: Report): MailPart {
  const isAddress = c2.host.includes(':') || /^[0-9.]+$/.test(c2.host);
  return feedbackFields([
    ['Feedback-Type', 'abuse'],
    ['User-Agent', USER_AGENT],
    ['Version', '1'],
    ['Arrival-Date', formatMailDate(reportedAt)],
    [isAddress ? 'Source-IP' : 'Reported-Domain', c2.host],
    // RFC 6692: behind one address of a tunnel are many customers.
    ['Source-Port', String(c2.port)],
    ['Incidents', '1'],
  ]);
}

/** Strict readers expect a third part. There is no mail that could be quoted, and it says so. */
function originalHeaders({ reportedAt }: Report): MailPart {
  return {
    contentType: 'text/rfc822-headers; charset=us-ascii',
    content: `Date: ${formatMailDate(reportedAt)}\r\nX-Rapsheet-Note: There is no original mail: this report is about a network address.\r\n`,
    encoding: '7bit',
  };
}

/** Printable ASCII only: a value cannot begin another field. */
function feedbackFields(fields: readonly (readonly [name: string, value: string])[]): MailPart {
  const lines = fields.map(([name, value]) => `${name}: ${value.replace(/[^\x20-\x7e]/g, '')}\r\n`);
  return { contentType: 'message/feedback-report', content: lines.join(''), encoding: '7bit' };
}

/** RFC 5322, section 3.3. */
function formatMailDate(date: Date): string {
  return date.toUTCString().replace(/GMT$/, '+0000');
}

function textPart(content: string): MailPart {
  return { contentType: 'text/plain; charset=utf-8', content, encoding: 'quoted-printable' };
}

function reportText(leased: LeasedMail, report: Report, context: MailContext): string {
  const intro = `A command-and-control server (C2) of malware was reported at ${leased.serviceName}.`;
  return textOf([intro, '', ...reportLines(report, leased, context), ...footer(leased, context)]);
}

function digestText(leased: LeasedMail, reports: readonly Report[], context: MailContext): string {
  const count = reports.length === 1 ? '1 new report' : `${reports.length} new reports`;
  const intro = `${count} of command-and-control servers (C2) of malware at ${leased.serviceName}. Each is attached.`;
  const each = reports.flatMap((report) => [...reportLines(report, leased, context), '']);
  return textOf([intro, '', ...each, ...footer(leased, context).slice(1)]);
}

function reportLines(
  report: Report,
  { confidenceScale, destination }: LeasedMail,
  { baseUrl }: MailContext,
): readonly string[] {
  return [
    `C2 address:  ${formatC2Address(report.c2)}`,
    `Malware:     ${report.name === UNNAMED ? 'not known' : report.name}`,
    `Tags:        ${report.tags.join(', ') || 'none'}`,
    `SHA-256:     ${report.sha256}`,
    `Reported:    ${report.reportedAt.toISOString()} by ${report.reportedBy}`,
    `Confidence:  ${report.confidence} of ${confidenceScale}`,
    `Reference:   ${report.reference}`,
    `Report:      ${baseUrl}/feeds/${destination.service}/reports/${report.id}`,
  ];
}

function footer({ destination }: LeasedMail, { baseUrl }: MailContext): readonly string[] {
  return [
    '',
    `Please look into it and answer at ${baseUrl}/desk/${destination.service}.`,
    'This mail was sent automatically. An administrator of the site can change or end it.',
  ];
}

/** Every element is one line, whatever a report contains. */
function textOf(lines: readonly string[]): string {
  return lines.map((line) => `${line.replace(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ')}\r\n`).join('');
}
