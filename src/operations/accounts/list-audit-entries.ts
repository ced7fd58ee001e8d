import type { AuditEntry } from '../../ports/store.ts';
import type { Dependencies } from '../dependencies.ts';

const DEFAULT_LIMIT = 100;

export interface AuditPageRequest {
  readonly limit?: number | undefined;
  /** Only entries with a lower id are returned. */
  readonly before?: number | undefined;
}

/** A page of the audit log, newest first. */
export function listAuditEntries(
  { store }: Pick<Dependencies, 'store'>,
  { limit = DEFAULT_LIMIT, before }: AuditPageRequest,
): Promise<readonly AuditEntry[]> {
  return store.audit.list(limit, before);
}
