import { type SubmittedObject, versionText } from './envelope.ts';
import type { PatternSubject } from './stix-pattern.ts';

export interface Indicator extends PatternSubject {
  readonly object: SubmittedObject;
}

type IndicatorKind = 'c2' | 'file';

/** How the objects of an envelope refer to each other. */
export class ObjectGraph {
  readonly #newest = new Map<string, SubmittedObject>();
  /** Targets of relationships by their type and source. */
  readonly #targets = new Map<string, string[]>();
  /** Ports of the traffic that is the target of a relation, as far as they were needed. */
  readonly #ports = new Map<string, readonly number[]>();
  /** Objects in a relationship, by the id of the other one. */
  readonly #related = new Map<string, string[]>();
  /** Relationships by the ids of both objects. */
  readonly #relationships = new Map<string, SubmittedObject[]>();
  /** By their kind and by what they have in common with others. */
  readonly #indicators = new Map<string, Indicator[]>();

  constructor(objects: readonly SubmittedObject[]) {
    for (const object of objects) {
      const known = this.#newest.get(object.id);
      if (known === undefined || versionText(object) > versionText(known))
        this.#newest.set(object.id, object);
    }
    for (const object of objects) {
      const { source_ref: source, target_ref: target, relationship_type: type } = object;
      if (source === undefined || target === undefined) continue;
      append(this.#related, source, target);
      append(this.#related, target, source);
      append(this.#targets, `${type} ${source}`, target);
      for (const id of [source, target]) append(this.#relationships, id, object);
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

  /** The port of the traffic to the C2, else the port at the end of the name. */
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

  /**
   * What describes these objects: relationships of them, and what they or such relationships refer
   * to, and so on. Each object is visited once.
   */
  describing(objects: Iterable<SubmittedObject>): ReadonlySet<SubmittedObject> {
    const found = new Set(objects);
    // A set is iterated in the order of insertion, including what is added meanwhile.
    for (const object of found) {
      for (const relationship of this.#relationships.get(object.id) ?? []) found.add(relationship);
      for (const id of referencesOf(object)) {
        const target = this.#newest.get(id);
        if (target !== undefined) found.add(target);
      }
    }
    return found;
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

/** Its id, by which relationships name it, and the external ids that it shares with others. */
function keysOf({ id, external_references: references = [] }: SubmittedObject): readonly string[] {
  const shared = references.flatMap(({ source_name: source, external_id: externalId }) =>
    externalId === undefined ? [] : [JSON.stringify([source, externalId])],
  );
  return [id, ...shared];
}

/** STIX 2.1, section 2.8: references are members that end in `_ref` or `_refs`. */
function referencesOf(object: SubmittedObject): readonly string[] {
  const { extensions } = object;
  const defined = typeof extensions === 'object' && extensions !== null ? extensions : {};
  const references = Object.entries(object).flatMap(([name, value]: [string, unknown]) => {
    if (name.endsWith('_ref')) return value;
    return name.endsWith('_refs') && Array.isArray(value) ? (value as unknown[]) : [];
  });
  return [...references.filter((id) => typeof id === 'string'), ...Object.keys(defined)];
}

function append<Value>(map: Map<string, Value[]>, key: string, value: Value): void {
  const values = map.get(key);
  if (values === undefined) map.set(key, [value]);
  else values.push(value);
}
