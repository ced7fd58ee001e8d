import type { C2Address } from '../../domain/reports/c2-address.ts';
import type { ExportedReport } from '../../domain/reports/exported-report.ts';
import { hostKind, isPort, isSha256 } from '../characters.ts';
import { observableId } from './ids.ts';
import type { StixObject } from './stix-object.ts';

/** The second check of the values: they are typed already. */
export function isWritable({ c2, sha256 }: Pick<ExportedReport, 'c2' | 'sha256'>): boolean {
  return hostKind(c2.host) !== undefined && isPort(c2.port) && isSha256(sha256);
}

const TYPES = { ipv4: 'ipv4-addr', ipv6: 'ipv6-addr', name: 'domain-name' } as const;

/** The STIX type of a host: an address or a name. */
export function hostType(host: string): (typeof TYPES)[keyof typeof TYPES] {
  return TYPES[hostKind(host) ?? 'name'];
}

/** Absent for a name that DNS permits and validators of STIX do not: it is not that of a host. */
export function hostObject(host: string): StixObject | undefined {
  const type = hostType(host);
  if (type === 'domain-name' && !isHostName(host)) return undefined;
  return observable(type, `{"value":"${host}"}`);
}

const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/** RFC 1123, and RFC 5891, section 4.2.3.1. The encoding of international names is not checked. */
function isHostName(name: string): boolean {
  return name
    .split('.')
    .every((label) => LABEL.test(label) && (/^xn--/.test(label) || label.slice(2, 4) !== '--'));
}

/** Reports do not name the protocol; nearly all C2 servers use TCP. */
export function trafficObject({ port }: C2Address, hostId: string): StixObject {
  const properties = `{"dst_port":${port},"dst_ref":"${hostId}","protocols":["tcp"]}`;
  return observable('network-traffic', properties);
}

/** Only ever with its SHA-256: another hash would change the id. */
export function fileObject(sha256: string): StixObject {
  return observable('file', `{"hashes":{"SHA-256":"${sha256}"}}`);
}

/** An observable has no other properties than those that contribute to its id. */
function observable(type: string, properties: string): StixObject {
  const id = observableId(type, properties);
  const text = `{"type":"${type}","spec_version":"2.1","id":"${id}",${properties.slice(1)}`;
  return { type, id, version: undefined, text };
}
