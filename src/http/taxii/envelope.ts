import { z } from 'zod';
import { invalid } from '../../domain/problem.ts';
import { type PatternSubject, readPattern } from './stix-pattern.ts';

/** The members of a submitted object that are read, whatever else it has. */
const submitted = z.looseObject({
  id: z.string().min(1).max(256),
  type: z.string().min(1).max(256),
  spec_version: z.string().optional(),
  created: z.string().optional(),
  modified: z.string().optional(),
  revoked: z.boolean().optional(),
  name: z.string().optional(),
  pattern: z.string().optional(),
  pattern_type: z.string().optional(),
  confidence: z.number().min(0).max(100).optional(),
  labels: z.array(z.string()).optional(),
  external_references: z
    .array(
      z.looseObject({
        source_name: z.string().optional(),
        external_id: z.string().optional(),
        url: z.string().optional(),
      }),
    )
    .optional(),
  relationship_type: z.string().optional(),
  source_ref: z.string().optional(),
  target_ref: z.string().optional(),
  dst_port: z.number().optional(),
});

export type SubmittedObject = z.output<typeof submitted>;

/** Twice the longest page of another installation. Reading more would delay other requests. */
export const MAX_SUBMITTED = 2000;

const list = z.looseObject({ objects: z.array(z.unknown()).max(MAX_SUBMITTED) });
const envelope = z.looseObject({ objects: z.array(submitted).min(1) });

/** Also accepts a bundle, which has the same list. */
export function readEnvelope(body: unknown): readonly SubmittedObject[] {
  const { error } = list.safeParse(body);
  if (error?.issues[0]?.code === 'too_big')
    throw invalid('invalid_envelope', [
      `The envelope must have at most ${MAX_SUBMITTED} objects. Send the others in another one.`,
    ]);
  const result = envelope.safeParse(body);
  if (result.success) return result.data.objects;
  const [issue] = result.error.issues;
  const path = issue?.path.join('.') ?? '';
  throw invalid('invalid_envelope', [
    `The body must be an envelope with a list "objects" of STIX 2.1 objects, each with "id" and "type". Wrong: ${path === '' ? 'the body' : path.slice(0, 100)}.`,
  ]);
}

/** What became of an object before anything is stored. */
export interface Verdict {
  readonly object: SubmittedObject;
  readonly accepted: boolean;
  readonly message: string;
}

/** An indicator of a C2 and one of a file, or one of both. */
export interface SubmittedReport {
  readonly objects: readonly SubmittedObject[];
  readonly host: string;
  readonly port: number;
  readonly sha256: string;
}

export interface SortedEnvelope {
  readonly reports: readonly SubmittedReport[];
  readonly verdicts: readonly Verdict[];
}

/** Objects that describe the indicators and are not stored by themselves. */
const DESCRIBING = [
  'identity',
  'marking-definition',
  'extension-definition',
  'relationship',
  'infrastructure',
  'malware',
  'ipv4-addr',
  'ipv6-addr',
  'domain-name',
  'network-traffic',
  'file',
];

interface Indicator extends PatternSubject {
  readonly object: SubmittedObject;
}

/** Finds the reports among the objects, and says of all others what became of them. */
export function sortEnvelope(objects: readonly SubmittedObject[]): SortedEnvelope {
  const graph = new ObjectGraph(objects);
  const verdicts: Verdict[] = [];
  const indicators: Indicator[] = [];
  for (const object of objects) {
    const read = graph.isNewest(object)
      ? readObject(object)
      : { accepted: true, message: 'The envelope has a newer version, or the same again.' };
    if ('message' in read) verdicts.push({ object, ...read });
    else indicators.push({ object, ...read });
  }
  graph.addIndicators(indicators);
  const reports: SubmittedReport[] = [];
  for (const indicator of indicators) {
    const found = reportOfIndicator(indicator, graph);
    if (typeof found === 'string')
      verdicts.push({ object: indicator.object, accepted: false, message: found });
    else if (found !== undefined) reports.push(found);
  }
  return { reports, verdicts };
}

function readObject(object: SubmittedObject): PatternSubject | Omit<Verdict, 'object'> {
  const refuse = (message: string) => ({ accepted: false, message });
  if (DESCRIBING.includes(object.type))
    return { accepted: true, message: 'Not stored by itself: it describes the indicators.' };
  if (object.type !== 'indicator')
    return refuse(`Objects of the type ${object.type} are not accepted, only indicators.`);
  if (object.spec_version !== '2.1') return refuse('spec_version must be "2.1".');
  if (object.revoked === true)
    return refuse('A revoked indicator is not accepted. Delete its object instead.');
  if (object.pattern_type !== 'stix') return refuse('pattern_type must be "stix".');
  const subject = readPattern(object.pattern ?? '');
  return typeof subject === 'string' ? refuse(subject) : subject;
}

const UNRELATED =
  'both must have the same external_id, or a relationship between them, or one pattern must have both.';

/** `undefined` if the report is that of an indicator of a C2. */
function reportOfIndicator(
  { object, host, port, sha256 }: Indicator,
  graph: ObjectGraph,
): SubmittedReport | string | undefined {
  if (host === undefined) {
    const hasC2 = graph.partnersOf(object, 'c2').length > 0;
    return hasC2 ? undefined : `No indicator of a C2 belongs to this one: ${UNRELATED}`;
  }
  const [partner, another] = sha256 === undefined ? graph.partnersOf(object, 'file') : [];
  if (sha256 === undefined && partner === undefined)
    return `No indicator of a file belongs to this one: ${UNRELATED}`;
  if (another !== undefined) return 'Several indicators of files belong to this one.';
  const knownPort = port ?? graph.portOf(object, host);
  if (knownPort === undefined)
    return 'The port of the C2 is not known: compare network-traffic:dst_port in the pattern, relate it to a network-traffic object, or end the name with "<host>:<port>".';
  return {
    objects: partner === undefined ? [object] : [object, partner.object],
    host,
    port: knownPort,
    sha256: sha256 ?? partner?.sha256 ?? '',
  };
}

type IndicatorKind = 'c2' | 'file';

/** How the objects of an envelope refer to each other. */
class ObjectGraph {
  readonly #newest = new Map<string, SubmittedObject>();
  /** Targets of relationships by their type and source. */
  readonly #targets = new Map<string, string[]>();
  /** Ports of the traffic that is the target of a relation, as far as they were needed. */
  readonly #ports = new Map<string, readonly number[]>();
  /** Objects in a relationship, by the id of the other one. */
  readonly #related = new Map<string, string[]>();
  /** By their kind and by what they have in common with others. */
  readonly #indicators = new Map<string, Indicator[]>();

  constructor(objects: readonly SubmittedObject[]) {
    for (const object of objects) {
      const known = this.#newest.get(object.id);
      if (known === undefined || versionText(object) > versionText(known))
        this.#newest.set(object.id, object);
    }
    for (const { source_ref: source, target_ref: target, relationship_type: type } of objects) {
      if (source === undefined || target === undefined) continue;
      append(this.#related, source, target);
      append(this.#related, target, source);
      append(this.#targets, `${type} ${source}`, target);
    }
  }

  addIndicators(indicators: readonly Indicator[]): void {
    for (const indicator of indicators) {
      const kind: IndicatorKind = indicator.host === undefined ? 'file' : 'c2';
      // An indicator of both needs no other.
      if (indicator.host !== undefined && indicator.sha256 !== undefined) continue;
      for (const key of keysOf(indicator.object)) append(this.#indicators, kind + key, indicator);
    }
  }

  isNewest(object: SubmittedObject): boolean {
    return this.#newest.get(object.id) === object;
  }

  /** The indicators of that kind that belong to this one, at most two of them. */
  partnersOf(object: SubmittedObject, kind: IndicatorKind): readonly Indicator[] {
    const keys = [...keysOf(object), ...(this.#related.get(object.id) ?? [])];
    const found = new Set<Indicator>();
    for (const key of keys)
      for (const partner of this.#indicators.get(kind + key)?.slice(0, 2) ?? []) found.add(partner);
    return [...found].slice(0, 2);
  }

  /** That of the traffic to the C2, else that at the end of the name. */
  portOf({ id, name }: SubmittedObject, host: string): number | undefined {
    const infrastructure = this.#targets.get(`indicates ${id}`) ?? [];
    const ports = new Set([
      ...this.#portsOf(`based-on ${id}`),
      ...infrastructure.flatMap((target) => this.#portsOf(`consists-of ${target}`)),
    ]);
    if (ports.size === 1) return [...ports][0];
    const text = host.includes(':') ? `[${host}]:` : `${host}:`;
    const start = name?.lastIndexOf(text) ?? -1;
    const port = start === -1 ? '' : (name ?? '').slice(start + text.length);
    return /^[1-9][0-9]{0,4}$/.test(port) ? Number(port) : undefined;
  }

  /** At most two: one that is not the only one is not used. Many may refer to the same traffic. */
  #portsOf(relation: string): readonly number[] {
    const known = this.#ports.get(relation);
    if (known !== undefined) return known;
    const targets = this.#targets.get(relation) ?? [];
    const all = new Set(targets.flatMap((target) => this.#newest.get(target)?.dst_port ?? []));
    const ports = [...all].slice(0, 2);
    this.#ports.set(relation, ports);
    return ports;
  }
}

export function versionText({ modified, created }: SubmittedObject): string {
  return modified ?? created ?? '';
}

/** Its id, by which relationships name it, and the external ids that it shares with others. */
function keysOf({ id, external_references: references = [] }: SubmittedObject): readonly string[] {
  const shared = references.flatMap(({ source_name: source, external_id: externalId }) =>
    externalId === undefined ? [] : [JSON.stringify([source, externalId])],
  );
  return [id, ...shared];
}

function append<Value>(map: Map<string, Value[]>, key: string, value: Value): void {
  const values = map.get(key);
  if (values === undefined) map.set(key, [value]);
  else values.push(value);
}
