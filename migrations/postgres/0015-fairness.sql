-- Jobs are claimed in turns, so that accounts are served alternately; and the bytes that each account has stored are counted.

-- The last turn that was given to a job of an account. The row with the empty account is the clock of the kind: the
-- highest turn that was claimed. The jobs themselves are with pg-boss, where the turn is their priority; those that are
-- queued already have the priority 0, which comes before all turns.
create table job_turn (
  kind text collate "C" not null,
  account_id text collate "C" not null,
  turn bigint not null,
  primary key (kind, account_id)
);

-- Apart from the account, whose row every lookup changes.
create table account_usage (
  account_id text collate "C" primary key references account (id),
  -- The sizes of the samples that the account was the first to upload.
  stored_bytes bigint not null check (stored_bytes >= 0)
);

insert into account_usage (account_id, stored_bytes)
select uploaded_by, sum(size_bytes) from sample group by uploaded_by;

-- Live tokens are counted whenever one is issued, however many were revoked before.
create index token_live on token (account_id, expires_at) where revoked_at is null;

-- Tokens are listed in pages, in the order of their ids.
create index token_listed on token (account_id, id);
drop index token_account;
