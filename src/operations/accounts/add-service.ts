import { Problem } from '../../domain/problem.ts';
import {
  DEFAULT_CONFIDENCE_SCALE,
  DEFAULT_EXPIRE_AFTER_DAYS,
  type Service,
} from '../../domain/reports/service.ts';
import type { AuditContext } from '../../ports/audit-context.ts';
import type { ServiceChanges } from '../../ports/store.ts';
import type { Dependencies } from '../dependencies.ts';

export interface ServiceRequest extends ServiceChanges {
  readonly slug: string;
}

/** Makes a service, and with it its empty feed. */
export async function addService(
  deps: Dependencies,
  audit: AuditContext,
  wish: ServiceRequest,
): Promise<Service> {
  const service: Service = {
    slug: wish.slug,
    name: wish.name ?? wish.slug,
    confidenceScale: wish.confidenceScale ?? DEFAULT_CONFIDENCE_SCALE,
    hosts: wish.hosts ?? [],
    networks: wish.networks ?? [],
    expireAfterDays: wish.expireAfterDays ?? DEFAULT_EXPIRE_AFTER_DAYS,
    createdAt: audit.at,
  };
  if ((await deps.store.services.add(service, audit)) === 'exists')
    throw new Problem('service_exists');
  return service;
}
