import type { Service } from '../../domain/reports/service.ts';
import type { Dependencies } from '../dependencies.ts';

/** All services. There are few enough to return them without paging. */
export function listServices({ store }: Pick<Dependencies, 'store'>): Promise<readonly Service[]> {
  return store.services.list();
}
