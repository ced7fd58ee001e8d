-- What people look up: which service answers for a host, how the status of a report changed, and what was charged per day.

-- The declared hosts and networks of services, by the keys under which a host is looked up.
create table service_pattern (
  -- com.example.evil; com.example.* for subdomains; 4/24/cb0071 for a network: version, length, leading bytes.
  key text collate "C" not null,
  slug text collate "C" not null references service (slug),
  -- As it was declared.
  pattern text collate "C" not null,
  primary key (key, slug)
);

create index service_pattern_slug on service_pattern (slug);
alter table service_pattern alter column slug set (n_distinct = 1000);

-- Those of existing services follow in the background, or with the first question.
insert into back_fill (name, position)
select 'service_pattern', 0 where exists (select 1 from service);

-- Every change of a status since this version. Of older ones the report holds the last.
create table status_change (
  -- That of the report.
  number bigint not null,
  sequence bigint not null,
  at timestamptz not null,
  status text collate "C" not null check (status in ('open', 'acknowledged', 'actioned', 'rejected', 'expired')),
  status_reason text collate "C",
  status_note text collate "C",
  status_by text collate "C",
  primary key (number, sequence)
);

-- The units of the current day are counted in the row that every lookup changes anyway.
alter table account add column usage_day text collate "C" not null default '';
alter table account add column usage_units bigint not null default 0;
-- The day before it, in the statement that starts a new day; otherwise empty.
alter table account add column closed_day text collate "C" not null default '';
alter table account add column closed_units bigint not null default 0;

-- The days before.
create table account_day (
  account_id text collate "C" not null references account (id),
  day text collate "C" not null,
  units bigint not null,
  primary key (account_id, day)
);

create index account_day_age on account_day (day);
alter table account_day
  alter column account_id set (n_distinct = 1000),
  alter column day set (n_distinct = 1000);
