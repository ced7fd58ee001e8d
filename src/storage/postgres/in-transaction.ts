/**
 * A condition for statements that write and may be the first step of a unit. The runner sends the
 * first step together with `begin`, before it knows that `begin` succeeded. With this condition the
 * statement changes nothing outside a transaction; without it the runner waits for `begin`.
 */
export const IN_TRANSACTION = 'pg_current_xact_id_if_assigned() is not null';
