import { Problem } from '../../domain/problem.ts';
import type { Service } from '../../domain/services/service.ts';
import type { Dependencies } from '../dependencies.ts';

export async function findService(
  { store }: Pick<Dependencies, 'store'>,
  slug: string,
): Promise<Service> {
  const service = await store.access.findService(slug);
  if (service === undefined) throw new Problem('unknown_service');
  return service;
}
