-- Counters of every feed, for plots. They are changed with the reports that they count.

-- A scope is the id of a service. Those from -16 to -1 hold all feeds together: each counts the services whose id has
-- the same remainder, so that writers of different feeds seldom wait for the same row.

-- The current statuses of reports.
create table statistic_total (
  scope bigint primary key,
  open bigint not null default 0,
  acknowledged bigint not null default 0,
  actioned bigint not null default 0,
  rejected bigint not null default 0,
  expired bigint not null default 0
)
-- Every create changes a row: room for its new version beside the old one.
with (fillfactor = 50);

-- What happened on a UTC day: reports, statuses that were set, and first answers by the time that they took.
create table statistic_day (
  scope bigint not null,
  day text collate "C" not null,
  reported bigint not null default 0,
  actioned bigint not null default 0,
  rejected bigint not null default 0,
  expired bigint not null default 0,
  -- Up to 15 minutes, 30 minutes, 1, 2, 4 and 8 hours, 1, 2, 4, 8, 15 and 30 days, and longer.
  acted_0 bigint not null default 0,
  acted_1 bigint not null default 0,
  acted_2 bigint not null default 0,
  acted_3 bigint not null default 0,
  acted_4 bigint not null default 0,
  acted_5 bigint not null default 0,
  acted_6 bigint not null default 0,
  acted_7 bigint not null default 0,
  acted_8 bigint not null default 0,
  acted_9 bigint not null default 0,
  acted_10 bigint not null default 0,
  acted_11 bigint not null default 0,
  acted_12 bigint not null default 0,
  primary key (scope, day)
)
with (fillfactor = 50);
alter table statistic_day alter column scope set (n_distinct = 1000);

-- The names of reports.
create table statistic_family (
  scope bigint not null,
  name text collate "C" not null,
  reports bigint not null,
  primary key (scope, name)
);

create index statistic_family_rank on statistic_family (scope, reports desc, name);
alter table statistic_family
  alter column scope set (n_distinct = 1000),
  alter column name set (n_distinct = 1000);

-- When the desk first set `actioned` or `rejected`, and in which bucket that was counted.
alter table report add column acted_at timestamptz;
alter table report add column acted_bucket bigint;

-- 1: the report had this status before; only the reason or the note changed.
alter table status_change add column is_repeat bigint not null default 0;

-- Existing reports are counted in the background, newest first: those with a lower number are not counted yet.
insert into back_fill (name, position)
select 'statistics', max(number) + 1 from report having max(number) is not null;
