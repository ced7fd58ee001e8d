-- older nodes: must stop
-- C2s that the desk of a feed has rejected as false positives: they are no indicators of this feed, whoever reports them again.

create table c2_rejection (
  service_id integer not null references service (id),
  host text not null,
  port integer not null,
  -- The reports that were rejected as false positives and not taken back, deleted ones included. 0: the desk has taken all back.
  reports integer not null check (reports >= 0),
  -- The sequence of the change by which the C2 was rejected.
  sequence integer not null,
  -- Reports with a lower number are still to be changed, so that readers learn of it; null if none is.
  pending_below integer,
  primary key (service_id, host, port)
) strict, without rowid;

create index c2_rejection_pending on c2_rejection (service_id, host, port) where pending_below is not null;

-- The rejections of desks so far, unless the desk has acknowledged or actioned another report of the C2.
insert into c2_rejection (service_id, host, port, reports, sequence, pending_below)
select rejected.service_id, rejected.host, rejected.port, rejected.reports, rejected.sequence, 9007199254740991
from (
  select report.service_id, report.host, report.port, count(*) as reports, max(service.last_sequence) + 1 as sequence
  from service
  join report on report.service_id = service.id and report.status = 'rejected'
  where report.status_reason = 'false_positive'
  group by report.service_id, report.host, report.port
) as rejected
where not exists (
  select 1 from report as other
  where other.service_id = rejected.service_id and other.host = rejected.host and other.port = rejected.port
    and other.status in ('acknowledged', 'actioned')
);
