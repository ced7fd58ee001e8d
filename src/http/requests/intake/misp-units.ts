import { type C2Address, c2AddressOf } from '../../../domain/reports/c2-address.ts';
import { isReference } from '../../../domain/reports/report.ts';
import { parseSha256 } from '../../../domain/samples/file-hash.ts';
import {
  C2_TYPES,
  FILE_TYPES,
  HOST_TYPES,
  invalidMisp,
  MAX_REPORTS,
  type MispAttribute,
  type MispEvent,
  type MispObject,
  tooManyReports,
} from './misp-event.ts';

export interface MispC2 {
  readonly attribute: MispAttribute;
  readonly c2: C2Address;
}

export interface MispFile {
  readonly attribute: MispAttribute;
  readonly sha256: string;
}

/** What belongs together in an event: an object, the attributes of one report, or an attribute. */
export interface MispUnit {
  /** The UUIDs of its object and its attributes. */
  readonly uuids: readonly string[];
  readonly c2s: readonly MispC2[];
  readonly files: readonly MispFile[];
  readonly links: readonly string[];
  /** The UUIDs that it refers to. */
  readonly references: readonly string[];
  /** From 0 to 1. */
  readonly confidence: number | undefined;
}

const PORT_RELATIONS: readonly string[] = ['dst-port', 'port'];
/** More would hardly be read. */
const MAX_PROBLEMS = 5;

/** Repeated ones count too: parsing one in another script takes ten times as long as others. */
const MAX_C2S = 2 * MAX_REPORTS;

/**
 * The end of the comment by which the attributes of a report belong together in the events that
 * this program writes.
 */
const OWN_COMMENT =
  /confidence (\d{1,9}) of (\d{1,9}); [^;]{1,100}; report ([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

/** Groups the attributes of an event. Reports every value that is invalid. */
export function unitsOf({ attributes, objects }: MispEvent): readonly MispUnit[] {
  const lists = [attributes, ...objects.map((object) => object.attributes)];
  const c2s = lists.flatMap((list) => list.filter(isC2).map(({ value }) => value));
  if (c2s.length > MAX_C2S || new Set(c2s).size > MAX_REPORTS) throw tooManyReports();
  const problems: string[] = [];
  const units = objects.map((object) => unitOfObject(object, problems));
  const own = Map.groupBy(attributes, reportIdOf);
  for (const [reportId, group] of own) {
    if (reportId !== undefined) units.push(unitOfAttributes(group, problems));
    else for (const attribute of group) units.push(unitOfAttributes([attribute], problems));
  }
  if (problems.length > 0) throw invalidMisp(summaryOf(problems));
  return units;
}

function summaryOf(problems: readonly string[]): string {
  const shown = problems.slice(0, MAX_PROBLEMS);
  const more = problems.length - shown.length;
  return [...shown, ...(more > 0 ? [`… and ${more} more.`] : [])].join(' ');
}

function reportIdOf({ comment }: MispAttribute): string | undefined {
  return OWN_COMMENT.exec(comment)?.[3];
}

function unitOfAttributes(attributes: readonly MispAttribute[], problems: string[]): MispUnit {
  const detected = attributes.filter(({ isDetected }) => isDetected);
  return {
    uuids: attributes.flatMap(({ uuid }) => uuid ?? []),
    c2s: detected.flatMap((attribute) => composedC2(attribute, problems)),
    files: detected.flatMap((attribute) => fileOf(attribute, problems)),
    links: attributes.filter(isLink).map(({ value }) => value),
    references: [],
    confidence: confidenceOf(attributes[0]?.comment ?? ''),
  };
}

function unitOfObject(object: MispObject, problems: string[]): MispUnit {
  const unit = unitOfAttributes(object.attributes, problems);
  return {
    ...unit,
    uuids: [...unit.uuids, ...(object.uuid === undefined ? [] : [object.uuid])],
    c2s: [...unit.c2s, ...separateC2s(object, problems)],
    references: object.references,
  };
}

function isC2({ type, isDetected }: MispAttribute): boolean {
  return isDetected && C2_TYPES.includes(type);
}

/** `host|port`. An address of version 6 has no brackets, but colons. */
function composedC2(attribute: MispAttribute, problems: string[]): readonly MispC2[] {
  if (!isC2(attribute)) return [];
  const { value, path, type } = attribute;
  const bar = value.lastIndexOf('|');
  const c2 = bar < 1 ? undefined : addressOf(value.slice(0, bar), value.slice(bar + 1));
  if (c2 !== undefined) return [{ attribute, c2 }];
  problems.push(`${path}: the value of ${type} must be "<host>|<port>".`);
  return [];
}

/**
 * The hosts of an object with its ports. Ports are never for detection in MISP. With several hosts
 * and several ports, nothing says which belong together.
 */
function separateC2s({ path, attributes }: MispObject, problems: string[]): readonly MispC2[] {
  const hosts = attributes.filter(isHost);
  const ports = attributes.filter(
    ({ type, relation }) => type === 'port' && PORT_RELATIONS.includes(relation),
  );
  if (hosts.length > 1 && ports.length > 1) {
    problems.push(
      `${path} has ${hosts.length} hosts and ${ports.length} ports: make an object for each C2.`,
    );
    return [];
  }
  return hosts.flatMap((attribute) => ports.flatMap((port) => pairOf(attribute, port, problems)));
}

function isHost({ type, relation, isDetected }: MispAttribute): boolean {
  return isDetected && HOST_TYPES.includes(type) && !relation.endsWith('-src');
}

function pairOf(host: MispAttribute, port: MispAttribute, problems: string[]): readonly MispC2[] {
  const c2 = addressOf(host.value, port.value);
  if (c2 !== undefined) return [{ attribute: host, c2 }];
  problems.push(
    `${host.path} and ${port.path} must be a DNS name or an IP address, and a port from 1 to 65535.`,
  );
  return [];
}

function addressOf(host: string, port: string): C2Address | undefined {
  return /^[1-9][0-9]{0,4}$/.test(port) ? c2AddressOf(host, Number(port)) : undefined;
}

function fileOf(attribute: MispAttribute, problems: string[]): readonly MispFile[] {
  const { type, value, path } = attribute;
  if (!FILE_TYPES.includes(type)) return [];
  const sha256 = parseSha256(value.slice(value.lastIndexOf('|') + 1));
  if (sha256 !== undefined) return [{ attribute, sha256 }];
  if (type !== 'malware-sample')
    problems.push(`${path}: the value of ${type} must end with 64 hexadecimal digits.`);
  return [];
}

/** Links are never for detection. */
function isLink({ type, category, value }: MispAttribute): boolean {
  const isExternal = category === '' || category === 'External analysis';
  return type === 'link' && isExternal && isReference(value);
}

function confidenceOf(comment: string): number | undefined {
  const [, confidence, scale] = OWN_COMMENT.exec(comment) ?? [];
  const share = Number(confidence) / Number(scale);
  return share >= 0 && share <= 1 ? share : undefined;
}
