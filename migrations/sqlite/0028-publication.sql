-- The order in which readers such as TAXII clients get the versions of reports: each change has a time of its own, in
-- milliseconds since 1970, that grows from commit to commit.

-- The time of the last change; 0 if there is none.
alter table service add column last_added integer not null default 0;
-- The time of the newest version.
alter table report add column added_at integer not null default 0;

-- Of a deleted report, for the readers that have it; null if it was deleted before these columns existed.
alter table tombstone add column added_at integer;
alter table tombstone add column number integer;
alter table tombstone add column created_sequence integer;
alter table tombstone add column name text;
alter table tombstone add column host text;
alter table tombstone add column port integer;
alter table tombstone add column sha256 text;
alter table tombstone add column reported_at text;

-- In the order of the changes: the time of the change, or a millisecond after the change before it.
update report set added_at = ordered.added_at
from (
  select number, i + max(ms - i) over (partition by service_id order by i) as added_at
  from (
    select
      number, service_id, row_number() over (partition by service_id order by sequence) as i,
      unixepoch(updated_at) * 1000 + cast(substr(updated_at, 21, 3) as integer) as ms
    from report
  )
) as ordered
where ordered.number = report.number;

create index report_added on report (service_id, added_at);
create index tombstone_added on tombstone (service_id, added_at) where added_at is not null;

-- The last change of a feed may be a deletion.
update service set last_added = max(
  coalesce((select max(added_at) from report where report.service_id = service.id), 0),
  coalesce((
    select unixepoch(at) * 1000 + cast(substr(at, 21, 3) as integer) from event
    where event.service_id = service.id and event.sequence = service.last_sequence
  ), 0)
);

-- A change gets a later time than every change of any feed.
create index service_last_added on service (last_added);
