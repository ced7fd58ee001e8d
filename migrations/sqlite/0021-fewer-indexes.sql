-- Indexes that cost each create more than they save: lists by port or confidence scan the feed, and hosts with few reports
-- are read through `report_c2`.

drop index report_port;
drop index report_confidence;
drop index report_host;
drop index report_host_expired;

-- The bytes of the hash are half as long as its text.
drop index report_sha256;
create index report_file on report (unhex(sha256), service_id);

-- The reports of the hosts with more than 100 reports in a feed.
create table host_report (
  service_id integer not null,
  host text not null,
  -- That of the report.
  number integer not null,
  primary key (service_id, host, number)
) strict, without rowid;

insert into host_report
select report.service_id, report.host, report.number
from (
  select service_id, host from report group by service_id, host having count(*) > 100
) as frequent
cross join report
where report.service_id = frequent.service_id and report.host = frequent.host
order by report.service_id, report.host, report.number;
