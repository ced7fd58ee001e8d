import { Problem } from '../../domain/problem.ts';
import type { Service } from '../../domain/reports/service.ts';
import type { Act } from '../../ports/act.ts';
import type { ServiceChanges } from '../../ports/store.ts';
import type { Dependencies } from '../dependencies.ts';

export async function changeService(
  deps: Dependencies,
  act: Act,
  slug: string,
  changes: ServiceChanges,
): Promise<Service> {
  const service = await deps.store.services.change(slug, changes, act);
  if (service === 'absent') throw new Problem('unknown_service');
  if (service === 'scale-fixed') throw new Problem('scale_fixed');
  return service;
}
