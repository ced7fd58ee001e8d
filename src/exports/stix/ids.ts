import { hash } from 'node:crypto';
import { formatUuid, uuidBytes, uuidV5 } from '../../domain/uuid.ts';

/** The namespace of ids of observables (STIX 2.1, section 2.9). */
const OASIS_NAMESPACE = '00abedb4-aa42-466c-9c01-fed23315a9b7';

/**
 * The objects that a report has for itself: their STIX type, and a number that is part of their
 * ids. Numbers are never changed or used again, 1 to 63.
 */
const REPORT_OBJECTS = {
  c2: ['indicator', 1],
  file: ['indicator', 2],
  'c2-indicates-infrastructure': ['relationship', 3],
  'c2-indicates-malware': ['relationship', 4],
  'c2-based-on': ['relationship', 5],
  'file-indicates-malware': ['relationship', 6],
  'file-based-on': ['relationship', 7],
} as const;

export type ReportObjectKind = keyof typeof REPORT_OBJECTS;

const KINDS = Object.keys(REPORT_OBJECTS) as readonly ReportObjectKind[];

/** The id of an observable from its contributing properties, which must be sorted by name. */
export function observableId(type: string, properties: Readonly<Record<string, unknown>>): string {
  return `${type}--${uuidV5(OASIS_NAMESPACE, JSON.stringify(properties))}`;
}

/** The id of an object that several reports share. `key` names it within this installation. */
export function sharedId(type: string, key: string, namespace: string): string {
  return `${type}--${uuidV5(namespace, key)}`;
}

/**
 * The id of an object of one report. It is the UUID of the report (version 7), XORed with a mask
 * of the installation, with the version of random UUIDs, which validators of STIX require:
 *
 *   6 bits kind | 42 bits time | 4 bits version | 12 bits | 2 bits variant | 62 bits
 *
 * The upper 6 bits of the time of a UUID are zero until the year 2109, and hold the kind. So the
 * report of an id is known without a table, and ids of two installations differ.
 */
export function reportObjectId(
  kind: ReportObjectKind,
  reportId: string,
  namespace: string,
): string {
  const [type, number] = REPORT_OBJECTS[kind];
  const bytes = masked(uuidBytes(reportId), namespace);
  bytes.writeUInt8(bytes.readUInt8(0) ^ (number << 2), 0);
  return `${type}--${formatUuid(bytes, 4)}`;
}

const REPORT_OBJECT_ID =
  /^(indicator|relationship)--[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

export interface ReportObject {
  readonly reportId: string;
  readonly kind: ReportObjectKind;
}

/** The report of an object with such an id; it need not exist. Other ids have none. */
export function reportOf(objectId: string, namespace: string): ReportObject | undefined {
  const type = REPORT_OBJECT_ID.exec(objectId)?.[1];
  if (type === undefined) return undefined;
  const bytes = masked(uuidBytes(objectId.slice(-36)), namespace);
  const first = bytes.readUInt8(0);
  const kind = KINDS.find((name) => {
    const [objectType, number] = REPORT_OBJECTS[name];
    return objectType === type && number === first >> 2;
  });
  if (kind === undefined) return undefined;
  bytes.writeUInt8(first & 0x3, 0);
  return { reportId: formatUuid(bytes, 7), kind };
}

/** XORs the SHA-256 of a label and the namespace onto the bytes. Its own inverse. */
function masked(bytes: Buffer, namespace: string): Buffer {
  const mask = maskOf(namespace);
  for (let index = 0; index < bytes.length; index += 1)
    bytes.writeUInt8(bytes.readUInt8(index) ^ mask.readUInt8(index), index);
  return bytes;
}

/** An export asks for the same mask millions of times. */
let lastMask = { namespace: '', mask: Buffer.alloc(0) };

function maskOf(namespace: string): Buffer {
  if (lastMask.namespace !== namespace)
    lastMask = { namespace, mask: hash('sha256', `stix report objects ${namespace}`, 'buffer') };
  return lastMask.mask;
}
