import { sql } from 'kysely';
import type { ChargedUnits, DayCharge, UsageRequest } from '../../../ports/account-usage.ts';
import type { AccountChargeTable } from '../../schema/account-tables.ts';
import { all, query } from '../../units/query.ts';
import { each, eachDeferred, rows, type UnitOfWork } from '../../units/unit-of-work.ts';

/**
 * What the units of a day were charged for, and with which token. The units of a day add up to
 * those of the account on that day. A transaction changes the row of an account before its charges,
 * so that transactions of one account wait for each other there.
 */

const KEY = ['account_id', 'day', 'token_id', 'operation'] as const;
type Key = Pick<AccountChargeTable, (typeof KEY)[number]>;

/** `first_at` is the time of the first charge, even if the clock is set back after it. */
const addCharge = query<AccountChargeTable>()((db, parameter) =>
  db
    .insertInto('account_charge')
    .values(all(parameter, [...KEY, 'units', 'first_at', 'last_at']))
    .onConflict((conflict) =>
      conflict.columns(KEY).doUpdateSet({
        units: sql<number>`account_charge.units + excluded.units`,
        last_at: sql<string>`case when excluded.last_at > account_charge.last_at then excluded.last_at else account_charge.last_at end`,
      }),
    ),
);

const subtractUnits = query<Key & { units: number }>()((db, parameter) =>
  db
    .updateTable('account_charge')
    .set({ units: sql<number>`units - ${parameter.units}` })
    .where('account_id', '=', parameter.account_id)
    .where('day', '=', parameter.day)
    .where('token_id', '=', parameter.token_id)
    .where('operation', '=', parameter.operation),
);

interface Page extends Key {
  from: string;
  limit: number;
}

/** Newest day first. The key is that of the charge before the first. */
const selectCharges = query<Page>()((db, parameter) =>
  db
    .selectFrom('account_charge')
    .leftJoin('token', 'token.id', 'account_charge.token_id')
    .select([
      'account_charge.day',
      'account_charge.token_id',
      'account_charge.operation',
      'account_charge.units',
      'account_charge.first_at',
      'account_charge.last_at',
      'token.label',
      'token.hint',
    ])
    .where('account_charge.account_id', '=', parameter.account_id)
    .where('account_charge.day', '>=', parameter.from)
    .where(
      sql<boolean>`(account_charge.day, account_charge.token_id, account_charge.operation) < (${parameter.day}, ${parameter.token_id}, ${parameter.operation})`,
    )
    .orderBy('account_charge.day', 'desc')
    .orderBy('account_charge.token_id', 'desc')
    .orderBy('account_charge.operation', 'desc')
    .limit(parameter.limit),
);

/** No charge is counted on a day before its time; that of a slow clock may be on the next day. */
const selectOld = query<{ before: string; midnight: string; limit: number }>()((db, parameter) =>
  db
    .selectFrom('account_charge')
    .select(KEY)
    .where('first_at', '<', parameter.midnight)
    .where(sql<boolean>`case when day < ${parameter.before} then 1 else 0 end = 1`)
    .orderBy('first_at')
    .limit(parameter.limit),
);

const deleteCharge = query<Key>()((db, parameter) =>
  db
    .deleteFrom('account_charge')
    .where('account_id', '=', parameter.account_id)
    .where('day', '=', parameter.day)
    .where('token_id', '=', parameter.token_id)
    .where('operation', '=', parameter.operation),
);

const moveStart = query<{ before: string }>()((db, parameter) =>
  db
    .updateTable('installation')
    .set({ charges_from: parameter.before })
    .where('charges_from', '<', parameter.before),
);

/** The charges of an account on a day. */
export interface ItemisedCharge {
  readonly id: string;
  readonly day: string;
  /** No two have the same token and operation. */
  readonly entries: readonly ChargedUnits[];
}

/** Adds the charges, which are of different accounts. The units were counted by the caller. */
export function* addCharges(charges: readonly ItemisedCharge[], now: Date): UnitOfWork<void> {
  const at = now.toISOString();
  yield* eachDeferred(
    addCharge,
    charges.flatMap((charge) =>
      charge.entries.map((entry) => ({
        ...keyOf(charge, entry),
        units: entry.units,
        first_at: at,
        last_at: at,
      })),
    ),
  );
}

/** Takes the charges back, after they were committed. */
export function* subtractCharges(charge: ItemisedCharge): UnitOfWork<void> {
  yield* each(
    subtractUnits,
    charge.entries.map((entry) => ({ ...keyOf(charge, entry), units: entry.units })),
  );
}

function keyOf({ id, day }: ItemisedCharge, { tokenId, operation }: ChargedUnits): Key {
  return { account_id: id, day, token_id: tokenId ?? '', operation };
}

/** After all ids of tokens, which are hexadecimal. */
const AFTER_TOKENS = '~';

export function* chargesOf(
  accountId: string,
  { from, to, after, limit }: UsageRequest,
): UnitOfWork<readonly DayCharge[]> {
  const found = yield* rows(selectCharges, {
    account_id: accountId,
    from,
    day: after?.day ?? to,
    token_id: after?.tokenId ?? AFTER_TOKENS,
    operation: after?.operation ?? '',
    limit,
  });
  return found.map(({ day, operation, token_id: id, label, hint, units, first_at, last_at }) => ({
    day,
    operation,
    tokenId: id === '' ? undefined : id,
    token: label === null || hint === null ? undefined : { id, label, hint },
    units,
    firstAt: new Date(first_at),
    lastAt: new Date(last_at),
  }));
}

/** Deletes charges of days before that one. Returns the number deleted. */
export function* deleteOldCharges(before: string, limit: number): UnitOfWork<number> {
  const midnight = `${before}T00:00:00.000Z`;
  const old = yield* rows(selectOld, { before, midnight, limit });
  if (old.length === 0) return 0;
  // From here on the charges of these days need not add up to their units.
  yield* rows(moveStart, { before });
  yield* each(deleteCharge, old);
  return old.length;
}
