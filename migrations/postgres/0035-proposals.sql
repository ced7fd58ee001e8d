-- Reports that the analysis of an upload proposes to the accounts that uploaded the file.

-- Uploads of a file by further accounts; that of the first is in upload.
create table further_upload (
  sha256 bytea not null,
  account_id text collate "C" not null references account (id),
  file_name text collate "C" not null,
  uploaded_at timestamptz not null,
  primary key (sha256, account_id)
);

create table proposal (
  -- A UUID of version 7: later ones are newer.
  id text collate "C" primary key,
  account_id text collate "C" not null references account (id),
  sha256 bytea not null,
  -- The name under which the account uploaded the file.
  file_name text collate "C" not null,
  -- The service that answers for the host.
  service_id bigint not null references service (id),
  host text collate "C" not null,
  port bigint not null,
  family text collate "C",
  tags text collate "C" not null,
  state text collate "C" not null default 'open' check (state in ('open', 'reported', 'dismissed')),
  -- Why it was dismissed.
  reason text collate "C",
  note text collate "C",
  -- The report that was created, which may have been deleted since.
  report_id text collate "C",
  created_at timestamptz not null,
  -- When it was created, reported or dismissed: it is deleted some time after that.
  changed_at timestamptz not null,
  check ((state = 'reported') = (report_id is not null)),
  check ((state = 'dismissed') = (reason is not null))
);

create unique index proposal_c2 on proposal (sha256, account_id, service_id, host, port);
create index proposal_account on proposal (account_id, id);
create index proposal_state on proposal (account_id, state, id);
create index proposal_age on proposal (changed_at);

-- Otherwise the planner expects that an account or a file has a large part of all rows.
alter table proposal
  alter column sha256 set (n_distinct = -0.5),
  alter column account_id set (n_distinct = 1000);
alter table further_upload alter column sha256 set (n_distinct = -0.5);

-- The family whose settings name the address; null in rows that are older than this column.
alter table sample_c2 add column family text collate "C";
