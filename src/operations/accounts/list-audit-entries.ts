import type { AuditPage, AuditPageRequest } from '../../ports/audit-context.ts';
import type { Dependencies } from '../dependencies.ts';

const DEFAULT_LIMIT = 100;

/** A page of the audit log, newest first. */
export function listAuditEntries(
  { store }: Pick<Dependencies, 'store'>,
  {
    limit = DEFAULT_LIMIT,
    ...page
  }: Omit<AuditPageRequest, 'limit'> & {
    readonly limit?: number | undefined;
  },
): Promise<AuditPage> {
  return store.audit.list({ ...page, limit });
}
