-- What the units of each day were charged for, and with which token.

create table account_charge (
  account_id text not null references account (id),
  -- The day of account.usage_day or account_day: the units of its rows add up to those.
  day text not null,
  -- Empty for a session that a sign-in link started. Revoked tokens keep their rows.
  token_id text not null,
  operation text not null,
  units integer not null,
  first_at text not null,
  last_at text not null,
  primary key (account_id, day, token_id, operation)
) strict, without rowid;

-- Not by day: the database would prefer it to the key.
create index account_charge_age on account_charge (first_at);

-- Charges up to this day are not itemised, or not all: they are older than the table.
alter table account add column itemised_after text not null default '';
update account set itemised_after = usage_day;

-- The charges of earlier days are deleted, or about to be.
alter table installation add column charges_from text not null default '';
