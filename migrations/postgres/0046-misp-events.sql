-- older nodes: must stop
-- The reports of a feed and a UTC day are divided into parts of at most 5,000, each of which is an event of the MISP feed.

-- The part in which a report was created, which it never leaves. Earlier reports stay in the event that they had.
alter table report add column day_part bigint not null default 1;
alter table tombstone add column day_part bigint not null default 1;

-- The reports that were created in a feed on a day, deleted ones included.
create table report_day (
  service_id bigint not null references service (id),
  -- YYYY-MM-DD
  day text collate "C" not null,
  reports bigint not null,
  primary key (service_id, day)
);

-- The events, by their UUIDs. They are written again from the reports.
drop table misp_day;
delete from misp_position;

create table misp_event (
  id text collate "C" primary key,
  service_id bigint not null references service (id),
  day text collate "C" not null,
  part bigint not null,
  -- The timestamp of the event, in seconds since 1970. Unique in the installation: readers skip an event whose timestamp
  -- is not above that of the event before it. Raised after every change of a report of that part.
  stamp bigint not null,
  -- The times of its first and last report.
  first_reported_at timestamptz not null,
  last_reported_at timestamptz not null
);

create unique index misp_event_part on misp_event (service_id, day, part);
create unique index misp_event_stamp on misp_event (stamp);
