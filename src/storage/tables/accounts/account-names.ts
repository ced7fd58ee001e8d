import { sql } from 'kysely';
import { accountNameKey } from '../../../domain/accounts/account-name.ts';
import { lockTask } from '../../units/locks.ts';
import { query } from '../../units/query.ts';
import { row, rows, type UnitOfWork } from '../../units/unit-of-work.ts';

const selectByKey = query<{ key: string }>()((db, parameter) =>
  db.selectFrom('account').select('name').where('name_key', '=', parameter.key),
);

const selectWithoutKey = query<{ limit: number }>()((db, parameter) =>
  db
    .selectFrom('account')
    .select(['id', 'name'])
    .where('name_key', 'is', null)
    .orderBy('id')
    .limit(parameter.limit),
);

const setKey = query<{ id: string; key: string }>()((db, parameter) =>
  db.updateTable('account').set({ name_key: parameter.key }).where('id', '=', parameter.id),
);

/** The name of the account that has this name or one that looks the same. */
export function* holderOf(name: string): UnitOfWork<string | undefined> {
  return (yield* row(selectByKey, { key: accountNameKey(name) }))?.name;
}

/**
 * Sets the keys of accounts that are older than them. Of those that look the same, the first one
 * gets the key, the others their ids, which no name may look like.
 */
export function* keyNames(limit: number): UnitOfWork<number> {
  yield* lockTask('account names');
  const found = yield* rows(selectWithoutKey, { limit });
  for (const { id, name } of found) {
    const isTaken = (yield* holderOf(name)) !== undefined;
    yield* rows(setKey, { id, key: isTaken ? id : accountNameKey(name) });
  }
  return found.length;
}

/** Names that differ only in case, which earlier versions allowed. */
const MAX_NAMESAKES = 100;

export const selectNames = query<{ folded: string }>()((db, parameter) =>
  db
    .selectFrom('account')
    .select('name')
    .where(sql<boolean>`lower(name) = lower(${parameter.folded})`)
    .limit(MAX_NAMESAKES),
);
