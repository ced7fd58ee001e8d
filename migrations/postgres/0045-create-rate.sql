-- older nodes: may run
-- The rate of creates of an account, instead of that of the server. Both are null, or none.
alter table account add column creates_per_minute bigint check (creates_per_minute > 0);
alter table account add column creates_burst bigint check (creates_burst > 0);
