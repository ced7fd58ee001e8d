-- How good the reports of each reporter are, and how fast each service answers. Counters that change with the reports.

-- The existing reports of a reporter in a feed: by what became of them, and by confirmation.
create table statistic_reporter (
  reporter_id text collate "C" not null,
  service_id bigint not null,
  open bigint not null default 0,
  acknowledged bigint not null default 0,
  actioned bigint not null default 0,
  expired bigint not null default 0,
  -- Rejected with this reason, or without one.
  not_ours bigint not null default 0,
  false_positive bigint not null default 0,
  duplicate bigint not null default 0,
  insufficient_evidence bigint not null default 0,
  unspecified bigint not null default 0,
  confirmed bigint not null default 0,
  contradicted bigint not null default 0,
  primary key (reporter_id, service_id)
)
-- Every create changes a row: room for its new version beside the old one.
with (fillfactor = 50);
alter table statistic_reporter alter column reporter_id set (n_distinct = 1000);

alter table statistic_total add column confirmed bigint not null default 0;
alter table statistic_total add column contradicted bigint not null default 0;
alter table statistic_total add column misrouted bigint not null default 0;
alter table statistic_total add column recurrences bigint not null default 0;

-- The reports of a day whose C2 was taken down before.
alter table statistic_day add column recurrences bigint not null default 0;
-- First answers of the desk, also `acknowledged`, by the time that they took, in the buckets of acted_0 to acted_12.
alter table statistic_day add column acknowledged_0 bigint not null default 0;
alter table statistic_day add column acknowledged_1 bigint not null default 0;
alter table statistic_day add column acknowledged_2 bigint not null default 0;
alter table statistic_day add column acknowledged_3 bigint not null default 0;
alter table statistic_day add column acknowledged_4 bigint not null default 0;
alter table statistic_day add column acknowledged_5 bigint not null default 0;
alter table statistic_day add column acknowledged_6 bigint not null default 0;
alter table statistic_day add column acknowledged_7 bigint not null default 0;
alter table statistic_day add column acknowledged_8 bigint not null default 0;
alter table statistic_day add column acknowledged_9 bigint not null default 0;
alter table statistic_day add column acknowledged_10 bigint not null default 0;
alter table statistic_day add column acknowledged_11 bigint not null default 0;
alter table statistic_day add column acknowledged_12 bigint not null default 0;

-- When the desk first set `acknowledged`, `actioned` or `rejected`, and in which bucket that was counted.
alter table report add column acknowledged_at timestamptz;
alter table report add column acknowledged_bucket bigint;

-- All reports are counted again in the background, newest first.
delete from statistic_total;
delete from statistic_day;
delete from statistic_family;
delete from back_fill where name = 'statistics';
insert into back_fill (name, position)
select 'statistics', max(number) + 1 from report having max(number) is not null;
