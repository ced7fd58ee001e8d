import { Problem } from '../../domain/problem.ts';
import type { Service } from '../../domain/services/service.ts';
import type { AuditContext } from '../../ports/audit-context.ts';
import type { Dependencies } from '../dependencies.ts';
import { refuseDeclarations } from './declared-hosts.ts';
import { mailChangeOf, type ServiceMembers } from './service-members.ts';

export async function changeService(
  deps: Dependencies,
  audit: AuditContext,
  slug: string,
  changes: ServiceMembers,
): Promise<Service> {
  refuseDeclarations(changes);
  const service = await deps.store.services.change(
    slug,
    { ...changes, mail: mailChangeOf(deps, changes.mail) },
    audit,
  );
  if (service === 'absent') throw new Problem('unknown_service');
  if (service === 'built-in') throw new Problem('service_built_in');
  if (service === 'scale-fixed') throw new Problem('scale_fixed');
  return service;
}
