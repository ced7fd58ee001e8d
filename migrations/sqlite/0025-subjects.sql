-- What people look up: which service answers for a host, how the status of a report changed, and what was charged per day.

-- The declared hosts and networks of services, by the keys under which a host is looked up.
create table service_pattern (
  -- com.example.evil; com.example.* for subdomains; 4/24/cb0071 for a network: version, length, leading bytes.
  key text not null,
  slug text not null references service (slug),
  -- As it was declared.
  pattern text not null,
  primary key (key, slug)
) strict, without rowid;

create index service_pattern_slug on service_pattern (slug);

-- Those of existing services follow in the background, or with the first question.
insert into back_fill (name, position)
select 'service_pattern', 0 where exists (select 1 from service);

-- Every change of a status since this version. Of older ones the report holds the last.
create table status_change (
  -- That of the report.
  number integer not null,
  sequence integer not null,
  at text not null,
  status text not null check (status in ('open', 'acknowledged', 'actioned', 'rejected', 'expired')),
  status_reason text,
  status_note text,
  status_by text,
  primary key (number, sequence)
) strict, without rowid;

-- The units of the current day are counted in the row that every lookup changes anyway.
alter table account add column usage_day text not null default '';
alter table account add column usage_units integer not null default 0;
-- The day before it, in the statement that starts a new day; otherwise empty.
alter table account add column closed_day text not null default '';
alter table account add column closed_units integer not null default 0;

-- The days before.
create table account_day (
  account_id text not null references account (id),
  day text not null,
  units integer not null,
  primary key (account_id, day)
) strict, without rowid;

create index account_day_age on account_day (day);
