import { Problem } from '../../domain/problem.ts';
import {
  DEFAULT_CONFIDENCE_SCALE,
  DEFAULT_EXPIRE_AFTER_DAYS,
  type Service,
} from '../../domain/services/service.ts';
import type { AuditContext } from '../../ports/audit-context.ts';
import type { Dependencies } from '../dependencies.ts';
import { refuseDeclarations } from './declared-hosts.ts';
import { mailChangeOf, type ServiceMembers } from './service-members.ts';

export interface ServiceRequest extends ServiceMembers {
  readonly slug: string;
}

/** Creates a service and its empty feed. */
export async function addService(
  deps: Dependencies,
  audit: AuditContext,
  request: ServiceRequest,
): Promise<Service> {
  refuseDeclarations(request);
  const service: Service = {
    slug: request.slug,
    name: request.name ?? request.slug,
    confidenceScale: request.confidenceScale ?? DEFAULT_CONFIDENCE_SCALE,
    hosts: request.hosts ?? [],
    networks: request.networks ?? [],
    expireAfterDays: request.expireAfterDays ?? DEFAULT_EXPIRE_AFTER_DAYS,
    createdAt: audit.at,
  };
  const mail = mailChangeOf(deps, request.mail ?? undefined);
  if ((await deps.store.services.add(service, audit, mail)) === 'exists')
    throw new Problem('service_exists');
  return service;
}
