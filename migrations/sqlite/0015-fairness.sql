-- Jobs are claimed in turns, so that accounts are served alternately; and the bytes that each account has stored are counted.

-- The last turn that was given to a job of an account. The row with the empty account is the clock of the kind: the
-- highest turn that was claimed.
create table job_turn (
  kind text not null,
  account_id text not null,
  turn integer not null,
  primary key (kind, account_id)
) strict, without rowid;

-- The account that uploaded the file first.
alter table job add column account_id text not null default '';
alter table job add column turn integer not null default 0;

-- Jobs that are queued already take turns as if they had been added one after the other.
update job set account_id = coalesce(
  (select sample.uploaded_by from sample where sample.sha256 = unhex(job.key)), ''
);
update job set turn = numbered.turn
from (
  select id, row_number() over (partition by kind, account_id order by due_at, id) as turn from job
) as numbered
where numbered.id = job.id;
insert into job_turn (kind, account_id, turn)
select kind, account_id, max(turn) from job where account_id <> '' group by kind, account_id;

drop index job_due;
create index job_order on job (kind, turn);

-- Apart from the account, whose row every lookup changes.
create table account_usage (
  account_id text primary key references account (id),
  -- The sizes of the samples that the account was the first to upload.
  stored_bytes integer not null check (stored_bytes >= 0)
) strict, without rowid;

insert into account_usage (account_id, stored_bytes)
select uploaded_by, sum(size_bytes) from sample group by uploaded_by;

-- Live tokens are counted whenever one is issued, however many were revoked before.
create index token_live on token (account_id, expires_at) where revoked_at is null;
