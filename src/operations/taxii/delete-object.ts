import type { Caller } from '../../domain/accounts/caller.ts';
import { Problem } from '../../domain/problem.ts';
import type { Dependencies } from '../dependencies.ts';
import { deleteReport } from '../reports/delete-report.ts';
import type { Collection } from './find-collection.ts';

/**
 * Deletes the report of an indicator, and with it both of its indicators. `reportId` is `undefined`
 * for objects that are none of a report.
 */
export async function deleteObject(
  deps: Dependencies,
  caller: Caller,
  { service }: Collection,
  reportId: string | undefined,
): Promise<void> {
  if (service === undefined) throw new Problem('collection_read_only');
  if (reportId === undefined) throw new Problem('object_not_deletable');
  await deleteReport(deps, caller, service, reportId);
}
