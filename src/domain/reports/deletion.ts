import type { Report } from './report.ts';

/** As whom an account deletes a report. */
export type DeletedAs = 'creator' | 'owner';

/** `undefined`: it may not. The creator is named even if the account also owns the feed. */
export function deletesAs(
  { reporterId }: Pick<Report, 'reporterId'>,
  { accountId, ownsFeed }: { readonly accountId: string; readonly ownsFeed: boolean },
): DeletedAs | undefined {
  if (reporterId === accountId) return 'creator';
  return ownsFeed ? 'owner' : undefined;
}
