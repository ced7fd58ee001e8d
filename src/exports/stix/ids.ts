import { hash } from 'node:crypto';
import { uuidV5 } from '../../domain/uuid.ts';
import { Remembered } from './remembered.ts';

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

/** The id of an observable: `properties` are those that contribute to it, sorted, as JSON. */
export function observableId(type: string, properties: string): string {
  return `${type}--${uuidV5(OASIS_NAMESPACE, properties)}`;
}

/** The id of an object that several reports share. `key` names it within this installation. */
export function sharedId(type: string, key: string, namespace: string): string {
  return `${type}--${uuidV5(namespace, key)}`;
}

/** The id of an object of one report. */
export function reportObjectId(
  kind: ReportObjectKind,
  reportId: string,
  namespace: string,
): string {
  return reportObjectIds(reportId, namespace)(kind);
}

/**
 * The ids of the objects of one report. Each is the UUID of the report (version 7), XORed with a
 * mask of the installation, with the version of random UUIDs, which validators of STIX require:
 *
 *   6 bits kind | 42 bits time | 4 bits version | 12 bits | 2 bits variant | 62 bits
 *
 * The upper 6 bits of the time of a UUID are zero until the year 2109, and hold the kind. So the
 * report of an id is known without a table, and ids of two installations differ.
 */
export function reportObjectIds(
  reportId: string,
  namespace: string,
): (kind: ReportObjectKind) => string {
  const [first, ...others] = masked(wordsOf(reportId), namespace);
  const rest = `${hexOf(first).slice(2)}${formatRest(others, 4)}`;
  return (kind) => {
    const [type, number] = REPORT_OBJECTS[kind];
    return `${type}--${BYTES[(first >>> 24) ^ (number << 2)]}${rest}`;
  };
}

/** The kind is above the other bits of the first word. */
const KIND_SHIFT = 26;
/** In hexadecimal. */
const BYTES = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

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
  const [first, ...others] = masked(wordsOf(objectId.slice(-36)), namespace);
  const kind = KINDS.find((name) => {
    const [objectType, number] = REPORT_OBJECTS[name];
    return objectType === type && number === first >>> KIND_SHIFT;
  });
  if (kind === undefined) return undefined;
  const time = first & ((1 << KIND_SHIFT) - 1);
  return { reportId: `${hexOf(time)}${formatRest(others, 7)}`, kind };
}

/** The 128 bits of a UUID: an export has millions, and buffers take longer. */
type Words = readonly [number, number, number, number];

function wordsOf(uuid: string): Words {
  return [
    Number.parseInt(uuid.slice(0, 8), 16),
    Number.parseInt(uuid.slice(9, 13) + uuid.slice(14, 18), 16),
    Number.parseInt(uuid.slice(19, 23) + uuid.slice(24, 28), 16),
    Number.parseInt(uuid.slice(28, 36), 16),
  ];
}

const masks = new Remembered<Words>(8);

/** XORs the SHA-256 of a label and the namespace onto the words. Its own inverse. */
function masked([a, b, c, d]: Words, namespace: string): Words {
  const mask = masks.get(namespace, () => {
    const bytes = hash('sha256', `stix report objects ${namespace}`, 'buffer');
    const word = (index: number) => bytes.readUInt32BE(4 * index);
    return [word(0), word(1), word(2), word(3)];
  });
  return [a ^ mask[0], b ^ mask[1], c ^ mask[2], d ^ mask[3]];
}

/** What follows the first word. The bits of version and variant are overwritten. */
function formatRest([b, c, d]: readonly [number, number, number], version: 4 | 7): string {
  const second = hexOf((b & 0xffff_0fff) | (version << 12));
  const third = hexOf((c & 0x3fff_ffff) | 0x8000_0000);
  return `-${second.slice(0, 4)}-${second.slice(4)}-${third.slice(0, 4)}-${third.slice(4)}${hexOf(d)}`;
}

function hexOf(word: number): string {
  return (word >>> 0).toString(16).padStart(8, '0');
}
