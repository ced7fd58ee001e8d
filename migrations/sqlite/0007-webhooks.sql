-- Webhooks: where owners of a feed want to be told of its changes, and what is to be, or was, sent there.

create table webhook (
  id text primary key,
  service_id integer not null references service (id),
  url text not null,
  events text not null,
  format text not null check (format in ('standard', 'report', 'cloudevents')),
  created_by text not null,
  created_at text not null,
  disabled_at text,
  disabled_reason text,
  -- Since when every delivery fails.
  failing_since text,
  -- Until then nothing is sent to it.
  paused_until text,
  -- It is gone for everybody; its row goes after its deliveries, of which there may be many.
  removed_at text
) strict, without rowid;

create index webhook_service on webhook (service_id);

create table webhook_secret (
  webhook_id text not null references webhook (id),
  -- The newest has the highest.
  number integer not null,
  -- Encrypted with a key that is not in this database.
  sealed blob not null,
  -- Null for the newest, which is valid until it is rotated.
  valid_until text,
  primary key (webhook_id, number)
) strict, without rowid;

create table delivery (
  number integer primary key,
  -- The webhook-id: the same over all attempts.
  id text not null unique,
  webhook_id text not null references webhook (id),
  event text not null,
  sequence integer not null,
  report_id text,
  state text not null default 'waiting' check (state in ('waiting', 'delivered', 'dead')),
  attempts integer not null default 0,
  due_at text not null,
  -- Counts the claims: whoever holds an older one has lost the delivery.
  lease integer not null default 0,
  -- Null where nobody works on it.
  leased_until text,
  last_status integer,
  last_error text,
  -- When the change happened.
  created_at text not null,
  finished_at text
) strict;

create index delivery_due on delivery (webhook_id, due_at, number) where state = 'waiting';
create index delivery_leased on delivery (webhook_id, leased_until) where leased_until is not null;
create index delivery_log on delivery (webhook_id, number);
create index delivery_state on delivery (webhook_id, state, number);
create index delivery_over on delivery (state, finished_at) where finished_at is not null;
