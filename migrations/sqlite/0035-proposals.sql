-- Reports that the analysis of an upload proposes to the accounts that uploaded the file.

-- Uploads of a file by further accounts; that of the first is in upload.
create table further_upload (
  sha256 blob not null,
  account_id text not null references account (id),
  file_name text not null,
  uploaded_at text not null,
  primary key (sha256, account_id)
) strict, without rowid;

create table proposal (
  -- A UUID of version 7: later ones are newer.
  id text primary key,
  account_id text not null references account (id),
  sha256 blob not null,
  -- The name under which the account uploaded the file.
  file_name text not null,
  -- The service that answers for the host.
  service_id integer not null references service (id),
  host text not null,
  port integer not null,
  family text,
  tags text not null,
  state text not null default 'open' check (state in ('open', 'reported', 'dismissed')),
  -- Why it was dismissed.
  reason text,
  note text,
  -- The report that was created, which may have been deleted since.
  report_id text,
  created_at text not null,
  -- When it was created, reported or dismissed: it is deleted some time after that.
  changed_at text not null,
  check ((state = 'reported') = (report_id is not null)),
  check ((state = 'dismissed') = (reason is not null))
) strict, without rowid;

create unique index proposal_c2 on proposal (sha256, account_id, service_id, host, port);
create index proposal_account on proposal (account_id, id);
create index proposal_state on proposal (account_id, state, id);
create index proposal_age on proposal (changed_at);

-- The family whose settings name the address; null in rows that are older than this column.
alter table sample_c2 add column family text;
