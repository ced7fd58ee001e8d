-- Feeds: the reports that stand, the log of every change, the tombstones of what was deleted, and the
-- answers that a retried call gets again.

create table report (
  id text not null unique,
  service_id integer not null references service (id),
  created_sequence integer not null,
  sequence integer not null,
  name text not null,
  tags text not null,
  host text not null,
  port integer not null,
  sha256 text not null,
  reporter_id text not null references account (id),
  reported_by text not null,
  reported_at text not null,
  first_seen_id text not null,
  reference text not null,
  confidence integer not null,
  -- As it is sent.
  body text not null
) strict;

-- The oldest surviving report of a C2 in its feed.
create index report_c2 on report (service_id, host, port, created_sequence);
-- The reports that take a new name when the analysis of their file arrives.
create index report_sha256 on report (sha256);

create table event (
  service_id integer not null references service (id),
  sequence integer not null,
  type text not null check (type in ('created', 'updated', 'deleted')),
  report_id text not null,
  at text not null,
  primary key (service_id, sequence)
) strict, without rowid;

create table tombstone (
  report_id text primary key,
  service_id integer not null references service (id),
  sequence integer not null,
  deleted_at text not null,
  deleted_by text not null,
  reason text not null
) strict, without rowid;

create table idempotency (
  account_id text not null references account (id),
  route text not null,
  key text not null,
  fingerprint blob not null,
  answer text not null,
  created_at text not null,
  primary key (account_id, route, key)
) strict, without rowid;

create index idempotency_age on idempotency (created_at);
