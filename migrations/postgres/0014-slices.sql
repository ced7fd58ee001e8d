-- Work that proceeds in slices, and positions over all feeds that are too long to be handed out.

-- Files whose analysis has arrived while there were many reports of them: those behind this one, in the order of feeds
-- and numbers, are yet to take its name.
create table pending_rename (
  sha256 text collate "C" primary key,
  service_id bigint not null,
  number bigint not null
);

-- Callers are given the digest. Never changed: the same digest always means the same positions.
create table stored_position (
  digest bytea primary key,
  positions text collate "C" not null,
  used_at timestamptz not null
);

create index stored_position_used on stored_position (used_at);
