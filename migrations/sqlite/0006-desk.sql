-- The desk: how far each report is, when it expires, and an index behind every way to list a feed.

alter table service add column expire_after_days integer not null default 90
  check (expire_after_days between 1 and 3650);
-- The oldest change that is still kept; whoever stands before it has missed some.
alter table service add column oldest_sequence integer not null default 1;
-- How many webhooks are told of its changes: mostly none, and then nobody has to look for them.
alter table service add column webhook_count integer not null default 0;

-- Who reported a C2 in a feed, and how often. Rows are there from its second report on: most have only one.
create table c2_reporter (
  service_id integer not null references service (id),
  host text not null,
  port integer not null,
  reporter_id text not null references account (id),
  reports integer not null check (reports > 0),
  primary key (service_id, host, port, reporter_id)
) strict, without rowid;

insert into c2_reporter
select service_id, host, port, reporter_id, count(*)
from report
where (service_id, host, port) in (
  select service_id, host, port from report group by service_id, host, port having count(*) > 1
)
group by service_id, host, port, reporter_id;

create table report_with_desk (
  -- Counts over all feeds, in the order of creation; in each feed it grows as created_sequence does. Every index
  -- ends with it.
  number integer primary key,
  id text not null unique,
  service_id integer not null references service (id),
  created_sequence integer not null,
  sequence integer not null,
  name text not null,
  tags text not null,
  host text not null,
  port integer not null,
  sha256 text not null,
  reporter_id text not null references account (id),
  reported_by text not null,
  reported_at text not null,
  first_seen_id text not null,
  reference text not null,
  confidence integer not null,
  status text not null check (status in ('open', 'acknowledged', 'actioned', 'rejected', 'expired')),
  status_reason text,
  status_note text,
  updated_at text not null,
  expires_at text not null,
  corroboration integer not null,
  sightings integer not null,
  recurrence integer not null check (recurrence in (0, 1)),
  -- As it is sent.
  body text not null
) strict;

insert into report_with_desk
select
  null, id, service_id, created_sequence, sequence, name, tags, host, port, sha256, reporter_id, reported_by,
  reported_at, first_seen_id, reference, confidence, 'open', null, null, reported_at,
  strftime('%Y-%m-%dT%H:%M:%fZ', reported_at, '+90 days'),
  (
    select count(*) from c2_reporter as other
    where other.service_id = report.service_id and other.host = report.host and other.port = report.port
      and other.reporter_id <> report.reporter_id
  ),
  coalesce((
    select sum(reports) from c2_reporter as any_one
    where any_one.service_id = report.service_id and any_one.host = report.host and any_one.port = report.port
  ), 1),
  0, body
from report
order by rowid;

drop table report;
alter table report_with_desk rename to report;

-- The reports of a C2, oldest and newest, whatever became of them.
create index report_c2 on report (service_id, host, port);
-- Whether one of them was acted on.
create index report_actioned on report (service_id, host, port) where status = 'actioned';
-- Also: the reports that take a new name when the analysis of their file arrives.
create index report_sha256 on report (sha256, service_id);
-- A list leaves out what has expired unless it is asked for, and so do the indexes behind it.
create index report_host on report (service_id, host) where status <> 'expired';
create index report_port on report (service_id, port) where status <> 'expired';
create index report_reporter on report (service_id, reported_by) where status <> 'expired';
create index report_confidence on report (service_id, confidence) where status <> 'expired';
create index report_time on report (service_id, reported_at) where status <> 'expired';
create index report_status on report (service_id, status);
-- What time may end.
create index report_expiry on report (expires_at) where status in ('open', 'acknowledged');

create table report_tag (
  service_id integer not null,
  tag text not null,
  -- That of the report.
  number integer not null,
  primary key (service_id, tag, number)
) strict, without rowid;

insert into report_tag
select distinct report.service_id, tag.value, report.number
from report, json_each(report.tags) as tag;

-- What there is one of.
create table installation (
  id integer primary key check (id = 1),
  -- Signs what callers keep for us. Made when it is first needed.
  secret blob,
  -- The number of the last report. None is given twice, not even that of a deleted one: whoever reads on from it
  -- would miss its successor.
  last_report integer not null
) strict;

insert into installation select 1, null, coalesce(max(number), 0) from report;
