-- The MISP feed has an event for each UTC day of a feed's reports.

create table misp_day (
  service_id bigint not null references service (id),
  -- YYYY-MM-DD
  day text collate "C" not null,
  -- The timestamp of the event, in seconds since 1970. Unique in its feed: readers skip an event whose timestamp is not
  -- above that of the event before it. Raised after every change of a report of that day.
  stamp bigint not null,
  primary key (service_id, day)
);

create unique index misp_day_stamp on misp_day (service_id, stamp);

-- The changes of a feed up to this one are in the timestamps of its days. See report.added_at.
create table misp_position (
  service_id bigint primary key references service (id),
  added_at bigint not null
);

-- The reports of a day; report_time has those that have not expired.
create index report_time_expired on report (service_id, reported_at, number) where status = 'expired';
create index tombstone_time on tombstone (service_id, reported_at, number) where reported_at is not null;
