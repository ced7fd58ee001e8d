import type { Service } from './service.ts';
import { UNCLAIMED } from './unclaimed.ts';

/** The part of a service that can change. `undefined` members stay as they are. */
export interface ServiceValues {
  readonly name?: string | undefined;
  readonly confidenceScale?: number | undefined;
  readonly hosts?: readonly string[] | undefined;
  readonly networks?: readonly string[] | undefined;
  readonly expireAfterDays?: number | undefined;
}

export interface ServiceDecision {
  readonly service: Service;
  /** Whether it declares other hosts than before: proofs of the old ones end. */
  readonly hasOtherHosts: boolean;
  /** Whether it declares other hosts or networks: reports are routed again. */
  readonly hasOtherPatterns: boolean;
}

export type ServiceRefusal = 'scale-fixed' | 'built-in';

/**
 * `scale-fixed`: the confidences of reports that exist or existed are on the present scale.
 * `built-in`: `unclaimed` keeps its name, and declares nothing new.
 */
export function decideServiceChange(
  service: Service,
  values: ServiceValues,
  { hasHadReports }: { readonly hasHadReports: boolean },
): ServiceDecision | ServiceRefusal {
  const changed: Service = {
    ...service,
    name: values.name ?? service.name,
    confidenceScale: values.confidenceScale ?? service.confidenceScale,
    hosts: values.hosts ?? service.hosts,
    networks: values.networks ?? service.networks,
    expireAfterDays: values.expireAfterDays ?? service.expireAfterDays,
  };
  if (service.slug === UNCLAIMED && isClaimed(service, changed)) return 'built-in';
  if (changed.confidenceScale !== service.confidenceScale && hasHadReports) return 'scale-fixed';
  const hasOtherHosts = !isSame(changed.hosts, service.hosts);
  const hasOtherPatterns = hasOtherHosts || !isSame(changed.networks, service.networks);
  return { service: changed, hasOtherHosts, hasOtherPatterns };
}

/** A service of that slug from before it was built in keeps what it declared, or less of it. */
function isClaimed(before: Service, after: Service): boolean {
  const declared = new Set([...before.hosts, ...before.networks]);
  const isAdded = (pattern: string) => !declared.has(pattern);
  return after.name !== before.name || [...after.hosts, ...after.networks].some(isAdded);
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((text, index) => text === other[index]);
}
