import { addAllowList } from '../../domain/lists/allow-list.ts';
import { KnownLists } from '../../domain/lists/known-lists.ts';
import type { ListEntry } from '../../domain/lists/list-entry.ts';
import { ownLists } from './own-lists.ts';

/** New lists with those of the package and of the setting RAPSHEET_ALLOW_LIST. */
export function baseLists(allowed: readonly ListEntry[]): KnownLists {
  const lists = new KnownLists();
  for (const own of ownLists().lists) lists.addEntries(lists.addList(own), own.entries);
  addAllowList(lists, allowed);
  return lists;
}
