import type { C2Address } from '../../domain/reports/c2-address.ts';
import { observableId } from './ids.ts';
import type { StixObject } from './stix-object.ts';

/** The STIX type of a host: an address or a name. */
export function hostType(host: string): 'ipv4-addr' | 'ipv6-addr' | 'domain-name' {
  if (host.includes(':')) return 'ipv6-addr';
  // The last label of a name is never a number.
  return /\.[0-9]+$/.test(host) ? 'ipv4-addr' : 'domain-name';
}

export function hostObject(host: string): StixObject {
  const type = hostType(host);
  return { type, spec_version: '2.1', id: observableId(type, { value: host }), value: host };
}

/** Reports do not name the protocol; nearly all C2 servers use TCP. */
export function trafficObject({ port }: C2Address, hostId: string): StixObject {
  const contributing = { dst_port: port, dst_ref: hostId, protocols: ['tcp'] };
  const id = observableId('network-traffic', contributing);
  return { type: 'network-traffic', spec_version: '2.1', id, ...contributing };
}

/** Only ever with its SHA-256: another hash would change the id. */
export function fileObject(sha256: string): StixObject {
  const hashes = { 'SHA-256': sha256 };
  return { type: 'file', spec_version: '2.1', id: observableId('file', { hashes }), hashes };
}
