-- Counters of every feed, for plots. They are changed with the reports that they count.

-- A scope is the id of a service. Those from -16 to -1 hold all feeds together: each counts the services whose id has
-- the same remainder, so that writers of different feeds seldom wait for the same row.

-- The current statuses of reports.
create table statistic_total (
  scope integer primary key,
  open integer not null default 0,
  acknowledged integer not null default 0,
  actioned integer not null default 0,
  rejected integer not null default 0,
  expired integer not null default 0
) strict;

-- What happened on a UTC day: reports, statuses that were set, and first answers by the time that they took.
create table statistic_day (
  scope integer not null,
  day text not null,
  reported integer not null default 0,
  actioned integer not null default 0,
  rejected integer not null default 0,
  expired integer not null default 0,
  -- Up to 15 minutes, 30 minutes, 1, 2, 4 and 8 hours, 1, 2, 4, 8, 15 and 30 days, and longer.
  acted_0 integer not null default 0,
  acted_1 integer not null default 0,
  acted_2 integer not null default 0,
  acted_3 integer not null default 0,
  acted_4 integer not null default 0,
  acted_5 integer not null default 0,
  acted_6 integer not null default 0,
  acted_7 integer not null default 0,
  acted_8 integer not null default 0,
  acted_9 integer not null default 0,
  acted_10 integer not null default 0,
  acted_11 integer not null default 0,
  acted_12 integer not null default 0,
  primary key (scope, day)
) strict, without rowid;

-- The names of reports.
create table statistic_family (
  scope integer not null,
  name text not null,
  reports integer not null,
  primary key (scope, name)
) strict, without rowid;

create index statistic_family_rank on statistic_family (scope, reports desc, name);

-- When the desk first set `actioned` or `rejected`, and in which bucket that was counted.
alter table report add column acted_at text;
alter table report add column acted_bucket integer;

-- 1: the report had this status before; only the reason or the note changed.
alter table status_change add column is_repeat integer not null default 0;

-- Existing reports are counted in the background, newest first: those with a lower number are not counted yet.
insert into back_fill (name, position)
select 'statistics', max(number) + 1 from report having max(number) is not null;
