-- Indexes that cost each create more than they save: lists by port or confidence scan the feed, and hosts with few reports
-- are read through `report_c2`.

-- First, because each needs the table alone: a weaker lock that has to become this one could end in a deadlock.
drop index report_port;
drop index report_confidence;
drop index report_host;
drop index report_host_expired;

-- The reports of the hosts with more than 100 reports in a feed.
create table host_report (
  service_id bigint not null,
  host text collate "C" not null,
  -- That of the report.
  number bigint not null
);

insert into host_report
select report.service_id, report.host, report.number
from (
  select service_id, host from report group by service_id, host having count(*) > 100
) as frequent
inner join report on report.service_id = frequent.service_id and report.host = frequent.host;

-- After the rows: an index over all of them is built faster than row by row.
alter table host_report add primary key (service_id, host, number);
alter table host_report alter column host set (n_distinct = 1000);
