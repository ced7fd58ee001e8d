-- older nodes: must stop
-- The reports of a feed and a UTC day are divided into parts of at most 5,000, each of which is an event of the MISP feed.

-- The part in which a report was created, which it never leaves. Earlier reports stay in the event that they had.
alter table report add column day_part integer not null default 1;
alter table tombstone add column day_part integer not null default 1;

-- The reports that were created in a feed on a day, deleted ones included.
create table report_day (
  service_id integer not null references service (id),
  -- YYYY-MM-DD
  day text not null,
  reports integer not null,
  primary key (service_id, day)
) strict, without rowid;

-- The events, by their UUIDs. They are written again from the reports.
drop table misp_day;
delete from misp_position;

create table misp_event (
  id text primary key,
  service_id integer not null references service (id),
  day text not null,
  part integer not null,
  -- The timestamp of the event, in seconds since 1970. Unique in the installation: readers skip an event whose timestamp
  -- is not above that of the event before it. Raised after every change of a report of that part.
  stamp integer not null,
  -- The times of its first and last report.
  first_reported_at text not null,
  last_reported_at text not null
) strict, without rowid;

create unique index misp_event_part on misp_event (service_id, day, part);
create unique index misp_event_stamp on misp_event (stamp);
