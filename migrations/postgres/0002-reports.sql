-- Feeds: the log of every change, the tombstones of what was deleted, and the answers that a retried call gets again.
-- The reports themselves came to this database with their desk.

create table event (
  service_id bigint not null references service (id),
  sequence bigint not null,
  type text collate "C" not null check (type in ('created', 'updated', 'deleted')),
  report_id text collate "C" not null,
  at timestamptz not null,
  primary key (service_id, sequence)
);

create table tombstone (
  report_id text collate "C" primary key,
  service_id bigint not null references service (id),
  sequence bigint not null,
  deleted_at timestamptz not null,
  deleted_by text collate "C" not null,
  reason text collate "C" not null
);

create table idempotency (
  account_id text collate "C" not null references account (id),
  route text collate "C" not null,
  key text collate "C" not null,
  fingerprint bytea not null,
  answer text collate "C" not null,
  created_at timestamptz not null,
  primary key (account_id, route, key)
);

create index idempotency_age on idempotency (created_at);
