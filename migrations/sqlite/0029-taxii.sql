-- TAXII: the namespace of object ids, and the status of submissions.

-- Stored on first use. Backups keep it, but not the secret that it was derived from: ids of objects stay the same after
-- a restore.
alter table installation add column object_namespace text;

create table taxii_status (
  id text primary key,
  account_id text not null references account (id),
  created_at text not null,
  -- The status resource as JSON.
  body text not null
) strict, without rowid;

create index taxii_status_age on taxii_status (created_at);
