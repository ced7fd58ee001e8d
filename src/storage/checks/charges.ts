import { sql } from 'kysely';
import { forbiddenRows, forbiddenRowsCheck } from './check.ts';

/**
 * Days that are older than the charges of their account, or whose charges are being deleted, are
 * not compared.
 */
export const charges = forbiddenRowsCheck('charges of accounts', [
  forbiddenRows(
    'account and day, whose charges do not add up to its units: the difference',
    () => sql`
      select account.id, counted.day, sum(counted.units) as difference
      from (
        select account_id, day, units from account_day
        union all select id, usage_day, usage_units from account
        union all select account_id, day, -units from account_charge
      ) as counted
      inner join account on account.id = counted.account_id
      where counted.day > account.itemised_after
        and counted.day >= (select charges_from from installation)
      group by account.id, counted.day having sum(counted.units) <> 0`,
  ),
  forbiddenRows(
    'account_charge, below zero',
    () => sql`
      select account_id, day, token_id, operation, units from account_charge where units < 0`,
  ),
  forbiddenRows(
    'account_charge, with a token of no account or of another one',
    () => sql`
      select account_id, day, token_id from account_charge as charge
      where token_id <> '' and not exists (
        select 1 from token where token.id = charge.token_id and token.account_id = charge.account_id
      )`,
  ),
]);
