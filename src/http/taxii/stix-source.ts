import type { Service } from '../../domain/services/service.ts';
import { feedObjects, objectsOf, withdrawnObjectsOf } from '../../exports/stix/objects.ts';
import type { StixContext, StixObject } from '../../exports/stix/stix-object.ts';
import type { ObjectSource } from '../../operations/taxii/collection-groups.ts';
import type { PublishedVersion } from '../../ports/published-versions.ts';
import { nextPart } from '../responses/response-turns.ts';

/** Types of the objects that reports have in each profile. */
const REPORT_TYPES: Readonly<Record<StixContext['profile'], readonly string[]>> = {
  indicators: ['indicator'],
  rich: [
    'indicator',
    'ipv4-addr',
    'ipv6-addr',
    'domain-name',
    'network-traffic',
    'file',
    'infrastructure',
    'malware',
    'relationship',
  ],
};

/**
 * A report has two indicators; a rich one with no known family has eleven objects. One whose C2 is
 * no indicator has fewer.
 */
const USUAL_PER_VERSION: Readonly<Record<StixContext['profile'], number>> = {
  indicators: 2,
  rich: 11,
};

export function hasReportTypes(
  profile: StixContext['profile'],
  types: ReadonlySet<string> | undefined,
): boolean {
  return types === undefined || REPORT_TYPES[profile].some((type) => types.has(type));
}

/** Makes the STIX objects of a collection. */
export class StixSource implements ObjectSource<StixObject> {
  readonly usualPerVersion: number;
  readonly #settings: Omit<StixContext, 'services'>;
  readonly #contexts = new Map<string, StixContext>();
  /** The length of the objects that were made since the last slice. */
  #sliceLength = 0;

  constructor(settings: Omit<StixContext, 'services'>) {
    this.#settings = settings;
    this.usualPerVersion = USUAL_PER_VERSION[settings.profile];
  }

  ofFeed(service: Service, isFirst: boolean): readonly StixObject[] {
    const objects = feedObjects(this.#contextOf(service));
    return isFirst ? objects : objects.filter(({ type }) => type !== 'marking-definition');
  }

  ofVersion(version: PublishedVersion, service: Service): readonly StixObject[] {
    const context = this.#contextOf(service);
    const objects =
      'report' in version
        ? objectsOf(version.report, context)
        : withdrawnObjectsOf(version.withdrawn, context);
    for (const { text } of objects) this.#sliceLength += text.length;
    return objects;
  }

  async nextSlice(): Promise<void> {
    const length = this.#sliceLength;
    this.#sliceLength = 0;
    await nextPart(length);
  }

  #contextOf(service: Service): StixContext {
    const known = this.#contexts.get(service.slug);
    if (known !== undefined) return known;
    const exported = { ...service, createdAt: service.createdAt.toISOString() };
    const context = { ...this.#settings, services: new Map([[service.slug, exported]]) };
    this.#contexts.set(service.slug, context);
    return context;
  }
}

/** As TAXII defines it: when it was modified, else created, else added. */
export function versionOf({ version }: StixObject, addedAtMs: number): string {
  return version ?? new Date(addedAtMs).toISOString();
}
