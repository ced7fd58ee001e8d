import { Problem } from '../../../domain/problem.ts';
import { parseUuid } from '../../../domain/uuid.ts';
import { isObject, type Members, textOf } from './members.ts';
import { type MispTags, readTags } from './misp-tags.ts';

/** A MISP event (MISP standard, core format), as far as a feed uses it. */
export interface MispEvent {
  readonly uuid: string | undefined;
  readonly tags: MispTags;
  /** Those that are in no object. */
  readonly attributes: readonly MispAttribute[];
  readonly objects: readonly MispObject[];
}

/** An attribute that is not deleted. */
export interface MispAttribute {
  /** Its name in error texts, such as `Attribute[3]`. */
  readonly path: string;
  readonly uuid: string | undefined;
  readonly type: string;
  /** What it is in its object; empty outside of objects. */
  readonly relation: string;
  readonly category: string;
  /** Empty if it is no text. */
  readonly value: string;
  readonly comment: string;
  readonly tags: MispTags;
  /** `to_ids`: whether the value may be used for detection. */
  readonly isDetected: boolean;
}

/** An object that is not deleted. */
export interface MispObject {
  readonly path: string;
  readonly uuid: string | undefined;
  readonly attributes: readonly MispAttribute[];
  /** The UUIDs of the objects and attributes that it refers to. */
  readonly references: readonly string[];
}

const FORM =
  'The body must be one MISP event, {"Event":{…}} or its content, with a list "Attribute" or "Object".';

export const MAX_REPORTS = 1000;

/**
 * Attributes, objects and references: an event of this program has nine for each report. Reading
 * that many takes up to 70 ms.
 */
export const MAX_ITEMS = 9 * MAX_REPORTS;

/** Values with a host and a port in one. */
export const C2_TYPES: readonly string[] = [
  'ip-dst|port',
  'ip-src|port',
  'hostname|port',
  'domain|port',
];
export const HOST_TYPES: readonly string[] = ['ip-dst', 'hostname', 'domain'];
/** The hash is after the last `|`. A malware sample of MISP has an MD5, which is not read. */
export const FILE_TYPES: readonly string[] = ['sha256', 'filename|sha256', 'malware-sample'];

/** Tags of an event or an attribute that are read. A report has fewer. */
export const MAX_NAMES = 256;

/** What a report is made of. Attributes of other types are not read. */
const READ_TYPES: ReadonlySet<unknown> = new Set([
  ...C2_TYPES,
  ...HOST_TYPES,
  ...FILE_TYPES,
  'port',
  'link',
]);

/** Reads `{"Event":{…}}`, as MISP exports it, or the content of it. */
export function readMispEvent(body: unknown): MispEvent {
  const event = isObject(body) && 'Event' in body ? body['Event'] : body;
  if (!isObject(event) || !('Attribute' in event || 'Object' in event)) throw invalidMisp(FORM);
  const count = sizeOf(event['Attribute']) + sizeOf(event['Object']);
  if (count > MAX_ITEMS)
    throw invalidMisp(
      `The event has ${count} attributes, objects and references, at most ${MAX_ITEMS} are accepted: send several events.`,
    );
  return {
    uuid: uuidOf(event['uuid']),
    tags: readTags(namesOf(event['Tag'])),
    attributes: attributesOf(event['Attribute'], ''),
    objects: present(event['Object'], 'Object').map(toObject),
  };
}

/** The number of items of a list and of the lists in them. */
function sizeOf(value: unknown): number {
  if (!Array.isArray(value)) return 0;
  let count = value.length;
  for (const item of value)
    if (isObject(item))
      for (const name of ['Attribute', 'ObjectReference'])
        if (Array.isArray(item[name])) count += item[name].length;
  return count;
}

export function tooManyReports(): Problem {
  return invalidMisp(
    `The event has more than ${MAX_REPORTS} pairs of a C2 and a file: send several events.`,
  );
}

export function invalidMisp(problems: string): Problem {
  return new Problem('invalid_misp', { parameters: { problems } });
}

type Item = readonly [path: string, members: Members];

/** The items of a list that are not deleted. */
function present(value: unknown, path: string): readonly Item[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw invalidMisp(`${path} must be a list.`);
  const items: Item[] = [];
  for (const [index, item] of value.entries()) {
    if (!isObject(item)) throw invalidMisp(`${path}[${index}] must be an object.`);
    if (!isTrue(item['deleted'])) items.push([`${path}[${index}]`, item]);
  }
  return items;
}

function attributesOf(value: unknown, prefix: string): readonly MispAttribute[] {
  const items = present(value, `${prefix}Attribute`);
  const read = items.filter(([, { type }]) => READ_TYPES.has(type));
  return read.map(([path, members]) => ({
    path,
    uuid: uuidOf(members['uuid']),
    type: textOf(members['type']),
    relation: textOf(members['object_relation']),
    category: textOf(members['category']),
    value: textOf(members['value']),
    comment: textOf(members['comment']),
    tags: readTags(namesOf(members['Tag'])),
    isDetected: members['to_ids'] === undefined || isTrue(members['to_ids']),
  }));
}

function toObject([path, members]: Item): MispObject {
  return {
    path,
    uuid: uuidOf(members['uuid']),
    attributes: attributesOf(members['Attribute'], `${path}.`),
    references: present(members['ObjectReference'], `${path}.ObjectReference`).flatMap(
      ([, reference]) => uuidOf(reference['referenced_uuid']) ?? [],
    ),
  };
}

/** Names of tags. Those that MISP keeps to its own instance are left out. */
function namesOf(value: unknown): readonly string[] {
  if (!Array.isArray(value)) return [];
  return value.slice(0, MAX_NAMES).flatMap((tag) => {
    const isShared = isObject(tag) && typeof tag['name'] === 'string' && !isTrue(tag['local']);
    return isShared ? [String(tag['name'])] : [];
  });
}

function uuidOf(value: unknown): string | undefined {
  return typeof value === 'string' ? parseUuid(value) : undefined;
}

/** Older versions of MISP write 1 and "1". */
function isTrue(value: unknown): boolean {
  return value === true || value === 1 || value === '1';
}
