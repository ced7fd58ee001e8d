import { KnownLists } from './known-lists.ts';
import type { ListEntry } from './list-entry.ts';

/** The name of the list that the setting RAPSHEET_ALLOW_LIST gives. */
export const ALLOW_LIST = 'allow list of this server';

/** Lists with that of the setting alone. */
export function allowListOf(allowed: readonly ListEntry[]): KnownLists {
  const lists = new KnownLists();
  addAllowList(lists, allowed);
  return lists;
}

export function addAllowList(lists: KnownLists, allowed: readonly ListEntry[]): void {
  if (allowed.length === 0) return;
  lists.addEntries(lists.addList({ list: ALLOW_LIST, kind: 'good' }), allowed);
}
