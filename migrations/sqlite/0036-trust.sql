-- How good the reports of each reporter are, and how fast each service answers. Counters that change with the reports.

-- The existing reports of a reporter in a feed: by what became of them, and by confirmation.
create table statistic_reporter (
  reporter_id text not null,
  service_id integer not null,
  open integer not null default 0,
  acknowledged integer not null default 0,
  actioned integer not null default 0,
  expired integer not null default 0,
  -- Rejected with this reason, or without one.
  not_ours integer not null default 0,
  false_positive integer not null default 0,
  duplicate integer not null default 0,
  insufficient_evidence integer not null default 0,
  unspecified integer not null default 0,
  confirmed integer not null default 0,
  contradicted integer not null default 0,
  primary key (reporter_id, service_id)
) strict, without rowid;

alter table statistic_total add column confirmed integer not null default 0;
alter table statistic_total add column contradicted integer not null default 0;
alter table statistic_total add column misrouted integer not null default 0;
alter table statistic_total add column recurrences integer not null default 0;

-- The reports of a day whose C2 was taken down before.
alter table statistic_day add column recurrences integer not null default 0;
-- First answers of the desk, also `acknowledged`, by the time that they took, in the buckets of acted_0 to acted_12.
alter table statistic_day add column acknowledged_0 integer not null default 0;
alter table statistic_day add column acknowledged_1 integer not null default 0;
alter table statistic_day add column acknowledged_2 integer not null default 0;
alter table statistic_day add column acknowledged_3 integer not null default 0;
alter table statistic_day add column acknowledged_4 integer not null default 0;
alter table statistic_day add column acknowledged_5 integer not null default 0;
alter table statistic_day add column acknowledged_6 integer not null default 0;
alter table statistic_day add column acknowledged_7 integer not null default 0;
alter table statistic_day add column acknowledged_8 integer not null default 0;
alter table statistic_day add column acknowledged_9 integer not null default 0;
alter table statistic_day add column acknowledged_10 integer not null default 0;
alter table statistic_day add column acknowledged_11 integer not null default 0;
alter table statistic_day add column acknowledged_12 integer not null default 0;

-- When the desk first set `acknowledged`, `actioned` or `rejected`, and in which bucket that was counted.
alter table report add column acknowledged_at text;
alter table report add column acknowledged_bucket integer;

-- All reports are counted again in the background, newest first.
delete from statistic_total;
delete from statistic_day;
delete from statistic_family;
delete from back_fill where name = 'statistics';
insert into back_fill (name, position)
select 'statistics', max(number) + 1 from report having max(number) is not null;
