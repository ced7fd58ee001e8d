-- Files that have an analysis can be analysed again, one by one or all of them.

-- Null unless the file is to be analysed again, or that failed. The upload stays done meanwhile: it keeps its analysis.
alter table upload add column reanalysis text collate "C" check (reanalysis in ('queued', 'failed'));

create index upload_done on upload (ended_at, sha256) where state = 'done';
create index upload_reanalysis on upload (sha256) where reanalysis = 'queued';
drop index upload_failed;
create index upload_failed on upload (ended_at, sha256) where state = 'failed' or reanalysis = 'failed';

-- The last run over all files. It queues them in the order of upload_done, in pages.
create table reanalysis (
  id bigint primary key check (id = 1),
  state text collate "C" not null check (state in ('running', 'stopped', 'finished')),
  -- Files whose last analysis ended before that.
  analysed_before timestamptz not null,
  -- The last file of the last page.
  position_at timestamptz not null,
  position_sha256 bytea not null,
  -- The number of files queued so far.
  queued bigint not null,
  started_by text collate "C" not null,
  started_at timestamptz not null,
  ended_at timestamptz
);
