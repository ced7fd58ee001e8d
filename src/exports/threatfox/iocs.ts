import { c2IndicationOf } from '../../domain/reports/c2-indication.ts';
import type { ExportedReport } from '../../domain/reports/exported-report.ts';
import type { IndicatorHosts } from '../../domain/reports/indicator-hosts.ts';
import { isReference, UNNAMED } from '../../domain/reports/report.ts';
import { type HostKind, hostKind, isPort, isSha256, oneLine } from '../characters.ts';
import { c2PercentOf, percentOf } from '../confidence.ts';
import type { ExportedService } from '../exporter.ts';

/** An indicator in the fields of ThreatFox. A report has up to two: its C2 and its file. */
export interface Ioc {
  readonly id: string;
  readonly ioc: string;
  readonly threat_type: 'botnet_cc' | 'payload';
  readonly threat_type_desc: string;
  readonly ioc_type: 'ip:port' | 'domain' | 'sha256_hash';
  readonly ioc_type_desc: string;
  readonly malware: string;
  readonly malware_printable: string;
  readonly malware_alias: null;
  readonly malware_malpedia: null;
  readonly confidence_level: number;
  /** `YYYY-MM-DD HH:MM:SS UTC`. */
  readonly first_seen: string;
  readonly last_seen: null;
  readonly reference: string | null;
  readonly reporter: string;
  readonly tags: readonly string[];
}

type Kind = Pick<Ioc, 'ioc' | 'threat_type' | 'threat_type_desc' | 'ioc_type' | 'ioc_type_desc'>;

const C2 = {
  threat_type: 'botnet_cc',
  threat_type_desc: 'Command-and-control server of malware',
} as const;

/** What ThreatFox calls malware without a family. Readers know both texts. */
const UNKNOWN = { malware: 'unknown', malware_printable: 'Unknown malware' };

/**
 * Ids are numbers in ThreatFox. The number of a report is never used again, and neither are these:
 * an odd one is a C2, an even one a file.
 */
export function iocIds(reportNumber: number): { readonly c2: string; readonly file: string } {
  return { c2: String(reportNumber * 2 - 1), file: String(reportNumber * 2) };
}

const MAX_ID = 2 * Number.MAX_SAFE_INTEGER;

/** The number of the report and the part of it that an id names. */
export function parseIocId(
  text: string,
): { readonly reportNumber: number; readonly part: 'c2' | 'file' } | undefined {
  if (!/^[1-9][0-9]{0,15}$/.test(text) || Number(text) > MAX_ID) return undefined;
  const id = Number(text);
  return { reportNumber: Math.ceil(id / 2), part: id % 2 === 1 ? 'c2' : 'file' };
}

/** Rejected and expired reports name nothing that should be detected. */
export function isPublished({ status }: Pick<ExportedReport, 'status'>): boolean {
  return status !== 'rejected' && status !== 'expired';
}

/**
 * The C2 and the file of a report. What is no indicator is left out, and what has characters
 * that do not belong there.
 */
export function iocsOf(
  report: ExportedReport,
  service: Pick<ExportedService, 'confidenceScale'> | undefined,
  hosts: IndicatorHosts,
): readonly Ioc[] {
  const { host, port } = report.c2;
  const isIndicator = isPort(port) && c2IndicationOf(report, hosts) === 'valid';
  const kind = isIndicator ? hostKind(host) : undefined;
  const hasFile = isSha256(report.sha256) && !hosts.protectsFile(report.sha256);
  const ids = iocIds(report.number);
  const ofC2 = sharedFields(report, c2PercentOf(report, service));
  const ofFile = sharedFields(report, percentOf(report, service));
  return [
    ...(kind === undefined ? [] : [{ id: ids.c2, ...c2Of(report.c2, kind), ...ofC2 }]),
    ...(hasFile ? [{ id: ids.file, ...fileOf(report.sha256), ...ofFile }] : []),
  ];
}

/** A name without its port, because ThreatFox has none; an IPv6 address without brackets. */
function c2Of({ host, port }: ExportedReport['c2'], kind: HostKind): Kind {
  return kind === 'name'
    ? { ioc: host, ...C2, ioc_type: 'domain', ioc_type_desc: 'Host name of a C2 server' }
    : {
        ioc: `${host}:${port}`,
        ...C2,
        ioc_type: 'ip:port',
        ioc_type_desc: 'Address and port of a C2 server',
      };
}

function fileOf(sha256: string): Kind {
  return {
    ioc: sha256,
    threat_type: 'payload',
    threat_type_desc: 'Malware sample',
    ioc_type: 'sha256_hash',
    ioc_type_desc: 'SHA-256 hash of a malware sample',
  };
}

function sharedFields(report: ExportedReport, confidenceLevel: number) {
  return {
    ...malwareOf(report.name),
    malware_alias: null,
    malware_malpedia: null,
    confidence_level: confidenceLevel,
    first_seen: threatfoxTime(report.reportedAt),
    last_seen: null,
    reference: isReference(report.reference) ? oneLine(report.reference) : null,
    reporter: oneLine(report.reportedBy),
    tags: report.tags.map(oneLine),
  };
}

/** `YYYY-MM-DD HH:MM:SS UTC` of a time in ISO 8601. */
export function threatfoxTime(time: string): string {
  return `${time.slice(0, 10)} ${time.slice(11, 19)} UTC`;
}

/** The name of a report as ThreatFox has it: as an id, and for people. */
export function malwareOf(name: string): Pick<Ioc, 'malware' | 'malware_printable'> {
  const printable = oneLine(name);
  const malware = printable.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '_');
  if (name === UNNAMED || printable === '' || malware === '_') return UNKNOWN;
  return { malware, malware_printable: printable };
}
