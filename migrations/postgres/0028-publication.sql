-- The order in which readers such as TAXII clients get the versions of reports: each change has a time of its own, in
-- milliseconds since 1970, that grows from commit to commit.

-- The time of the last change; 0 if there is none. Without an index, so that the updates of the row stay cheap.
alter table service add column last_added bigint not null default 0;
-- The time of the newest version.
alter table report add column added_at bigint not null default 0;

-- Of a deleted report, for the readers that have it; null if it was deleted before these columns existed.
alter table tombstone add column added_at bigint;
alter table tombstone add column number bigint;
alter table tombstone add column created_sequence bigint;
alter table tombstone add column name text collate "C";
alter table tombstone add column host text collate "C";
alter table tombstone add column port bigint;
alter table tombstone add column sha256 text collate "C";
alter table tombstone add column reported_at timestamptz;

-- In the order of the changes: the time of the change, or a millisecond after the change before it.
create table added_report as
select number, i + max(ms - i) over (partition by service_id order by i) as added_at
from (
  select
    number, service_id, row_number() over (partition by service_id order by sequence) as i,
    floor(extract(epoch from updated_at) * 1000)::bigint as ms
  from report
) as numbered;
alter table added_report add primary key (number);
create function added_at_of(bigint) returns bigint language plpgsql stable as
  'begin return (select added_at from added_report where number = $1); end';
-- Writes the table and its indexes anew, which takes a fraction of the time of an update of all rows.
alter table report alter column added_at type bigint using added_at_of(number);
drop function added_at_of;
drop table added_report;

-- The condition, which all rows meet, keeps the planner from choosing this index for any statement on a feed.
create index report_added on report (service_id, added_at) where added_at > 0;
create index tombstone_added on tombstone (service_id, added_at) where added_at is not null;

-- The last change of a feed may be a deletion.
update service set last_added = greatest(
  coalesce((select max(added_at) from report where report.service_id = service.id and added_at > 0), 0),
  coalesce((
    select floor(extract(epoch from at) * 1000)::bigint from event
    where event.service_id = service.id and event.sequence = service.last_sequence
  ), 0)
);
