-- Who calls: services with their feeds, accounts with their quota, tokens as digests, and what was administered.

create table service (
  id integer primary key,
  slug text not null unique,
  name text not null,
  confidence_scale integer not null check (confidence_scale between 1 and 100),
  hosts text not null,
  networks text not null,
  -- The number that the last change in this feed took. It is moved inside the transaction of the
  -- change, so the order of numbers is the order of commits, without a gap.
  last_sequence integer not null default 0,
  created_at text not null
) strict;

create table account (
  id text primary key,
  name text not null unique,
  roles text not null,
  quota_limit integer check (quota_limit >= 0),
  quota_period text not null check (quota_period in ('day', 'month', 'none')),
  quota_used integer not null default 0 check (quota_used >= 0),
  quota_window text not null default '',
  quota_extra integer not null default 0 check (quota_extra >= 0),
  disabled integer not null default 0,
  expires_at text,
  created_at text not null
) strict, without rowid;

create table account_service (
  account_id text not null references account (id),
  service_id integer not null references service (id),
  primary key (account_id, service_id)
) strict, without rowid;

create table token (
  id text primary key,
  account_id text not null references account (id),
  digest blob not null unique,
  hint text not null,
  label text not null,
  created_at text not null,
  expires_at text,
  last_used_at text,
  revoked_at text
) strict, without rowid;

create index token_account on token (account_id);

create table audit (
  id integer primary key,
  at text not null,
  actor text not null,
  action text not null,
  subject text not null,
  detail text not null
) strict;
