import { hash } from 'node:crypto';
import { allowListOf } from '../../src/domain/lists/allow-list.ts';
import { parseC2Address } from '../../src/domain/reports/c2-address.ts';
import type { ExportedReport } from '../../src/domain/reports/exported-report.ts';
import type { ExportContext, ExportedService, Exporter } from '../../src/exports/exporter.ts';

/** A report of a test: what matters to it. The rest is derived from its number. */
export type PartialReport = Partial<Omit<ExportedReport, 'c2' | 'body'>> & {
  /** `host:port`, or the parts of an address that no parser would accept. */
  readonly c2?: string | ExportedReport['c2'];
};

export function exportedReport(number: number, partial: PartialReport = {}): ExportedReport {
  const at = new Date(Date.UTC(2026, 0, 1) + number * 60_000).toISOString();
  const id = `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
  const { c2: given = `c${number}.ply.example:4444`, ...rest } = partial;
  const c2 = typeof given === 'string' ? parseC2Address(given) : given;
  if (c2 === undefined) throw new RangeError(`${JSON.stringify(given)} is not a C2 address`);
  const tags = partial.tags ?? ['asyncrat', 'rat'];
  const report = {
    number,
    id,
    service: 'ply',
    sequence: number,
    createdSequence: number,
    dayPart: 1,
    name: tags[0] ?? 'unknown',
    tags,
    sha256: hash('sha256', String(number)),
    reportedBy: 'alice',
    reportedAt: at,
    firstSeenId: id,
    reference: '',
    confidence: 50,
    status: 'open',
    statusReason: undefined,
    updatedAt: at,
    addedAt: at,
    expiresAt: '2026-06-01T00:00:00.000Z',
    corroboration: 0,
    sightings: 1,
    recurrence: false,
    confirmation: 'unknown',
    rejectionSequence: undefined,
    routedTo: undefined,
    ...rest,
    c2,
  } as const;
  return { ...report, body: bodyOf(report) };
}

/** The specified fields, as the database stores them. */
function bodyOf(report: Omit<ExportedReport, 'body'>): string {
  const { host, port } = report.c2;
  return JSON.stringify({
    id: report.id,
    name: report.name,
    tags: report.tags,
    c2Address: host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`,
    reportedAt: report.reportedAt.slice(0, 19).replace('T', ' '),
    reportedBy: report.reportedBy,
    file256Hash: report.sha256,
    firstSeenID: report.firstSeenId,
    referenceLink: report.reference,
    confidenceScore: report.confidence,
  });
}

export function exportedService(partial: Partial<ExportedService> = {}): ExportedService {
  return {
    slug: 'ply',
    name: 'Ply Tunnels',
    confidenceScale: 100,
    hosts: ['*.ply.example', 'tunnel.ply.example'],
    networks: ['11.22.33.0/24', '2a0f:ffff::/32'],
    createdAt: '2025-12-31T00:00:00.000Z',
    ...partial,
  };
}

export function exportContext(partial: Partial<ExportContext> = {}): ExportContext {
  const service = exportedService();
  const { services = new Map([[service.slug, service]]) } = partial;
  return {
    feed: 'ply',
    services,
    declared: declaredBy([...services.values()]),
    serial: 41,
    changedAt: '2026-02-01T12:00:00.000Z',
    baseUrl: 'https://rapsheet.example',
    namespace: '6f9619ff-8b86-4011-b42d-00cf4fc964ff',
    lists: allowListOf([]),
    firstRuleNumber: 90_000_000,
    options: {},
    ...partial,
  };
}

function declaredBy(services: readonly ExportedService[]): ExportContext['declared'] {
  return {
    hosts: services.flatMap(({ hosts }) => hosts),
    networks: services.flatMap(({ networks }) => networks),
  };
}

const ORDERS: Readonly<Record<Exporter['order'], (report: ExportedReport) => string>> = {
  creation: () => '',
  address: ({ c2 }) => `${c2.host} ${String(c2.port).padStart(5, '0')}`,
  file: ({ sha256 }) => sha256,
};

/** The export with these options. */
export function variantOf(exporter: Exporter, options: ExportContext['options']): Exporter {
  return { ...exporter, ...exporter.variant?.(options) };
}

/** The whole export, as the server sends it. The files of an archive follow each other. */
export function exportText(
  exporter: Exporter,
  reports: readonly ExportedReport[],
  context: ExportContext,
): string {
  const files = exporter.archive?.(context.options);
  if (files !== undefined)
    return Object.entries(files)
      .map(([name, file]) => `==> ${name}\n${exportText(file, reports, context)}`)
      .join('');
  const key = ORDERS[variantOf(exporter, context.options).order];
  const sorted = reports
    .map((report) => ({ report, key: key(report) }))
    .sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : a.report.number - b.report.number));
  const writer = exporter.open(context);
  const text = [
    writer.start(),
    ...sorted.map(({ report }) => writer.report(readBy(exporter, report))),
  ].join('');
  return text + writer.end((rest = '') => hash('sha256', text + rest));
}

/** The server reads only the members of a report that the exporter names. */
function readBy({ fields }: Exporter, report: ExportedReport): ExportedReport {
  if (fields === undefined) return report;
  const members = fields.map((field) => [field, report[field]] as const);
  return Object.fromEntries(members) as unknown as ExportedReport;
}

/** Each option with each of its values, one at a time: the defaults come first. */
export function optionSets({
  options = {},
}: Exporter): readonly Readonly<Record<string, string>>[] {
  const others = Object.entries(options).flatMap(([name, [, ...values]]) =>
    values.map((value) => ({ [name]: value })),
  );
  return [{}, ...others];
}
