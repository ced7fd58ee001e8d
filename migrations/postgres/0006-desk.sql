-- The desk: how far each report is, when it expires, and an index behind every way to list a feed.

alter table service
  add column expire_after_days bigint not null default 90 check (expire_after_days between 1 and 3650),
  -- The oldest change that is still kept; whoever stands before it has missed some.
  add column oldest_sequence bigint not null default 1,
  -- How many webhooks are told of its changes: mostly none, and then nobody has to look for them.
  add column webhook_count bigint not null default 0;

-- Who reported a C2 in a feed, and how often. Rows are there from its second report on: most have only one.
create table c2_reporter (
  service_id bigint not null references service (id),
  host text collate "C" not null,
  port bigint not null,
  reporter_id text collate "C" not null references account (id),
  reports bigint not null check (reports > 0),
  primary key (service_id, host, port, reporter_id)
);

-- The number of a new report. It is taken while the row of its feed is locked, so in each feed the numbers grow as
-- the sequence does. One row for all feeds, as the embedded store has it, would let all of them wait for each other.
create sequence report_number;

create table report (
  -- Counts over all feeds; in each feed it grows as created_sequence does. Every index ends with it.
  number bigint primary key,
  id text collate "C" not null unique,
  service_id bigint not null references service (id),
  created_sequence bigint not null,
  sequence bigint not null,
  name text collate "C" not null,
  tags text collate "C" not null,
  host text collate "C" not null,
  port bigint not null,
  sha256 text collate "C" not null,
  reporter_id text collate "C" not null references account (id),
  reported_by text collate "C" not null,
  reported_at timestamptz not null,
  first_seen_id text collate "C" not null,
  reference text collate "C" not null,
  confidence bigint not null,
  status text collate "C" not null
    check (status in ('open', 'acknowledged', 'actioned', 'rejected', 'expired')),
  status_reason text collate "C",
  status_note text collate "C",
  updated_at timestamptz not null,
  expires_at timestamptz not null,
  corroboration bigint not null,
  sightings bigint not null,
  recurrence bigint not null check (recurrence in (0, 1)),
  -- As it is sent.
  body text collate "C" not null
);

-- The reports of a C2, oldest and newest, whatever became of them.
create index report_c2 on report (service_id, host, port, number);
-- Whether one of them was acted on.
create index report_actioned on report (service_id, host, port) where status = 'actioned';
-- Also: the reports that take a new name when the analysis of their file arrives.
create index report_sha256 on report (sha256, service_id, number);
-- A list leaves out what has expired unless it is asked for, and so do the indexes behind it.
create index report_host on report (service_id, host, number) where status <> 'expired';
create index report_port on report (service_id, port, number) where status <> 'expired';
create index report_reporter on report (service_id, reported_by, number) where status <> 'expired';
create index report_confidence on report (service_id, confidence, number) where status <> 'expired';
create index report_time on report (service_id, reported_at, number) where status <> 'expired';
create index report_status on report (service_id, status, number);
-- What time may end.
create index report_expiry on report (expires_at, number) where status in ('open', 'acknowledged');

create table report_tag (
  service_id bigint not null,
  tag text collate "C" not null,
  -- That of the report.
  number bigint not null,
  primary key (service_id, tag, number)
);

-- What there is one of.
create table installation (
  id bigint primary key check (id = 1),
  -- Signs what callers keep for us. Made when it is first needed.
  secret bytea
);

insert into installation (id) values (1);
