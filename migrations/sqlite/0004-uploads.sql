-- Files that were uploaded, the jobs that are to be done, and what lies behind the reports we made ourselves.

-- The bytes themselves are kept elsewhere, under the SHA-256.
create table sample (
  sha256 blob primary key,
  blake3 blob not null,
  sha512 blob not null,
  md5 blob not null,
  sha1 blob not null,
  size_bytes integer not null,
  file_name text not null,
  uploaded_by text not null references account (id),
  uploaded_at text not null,
  state text not null check (state in ('queued', 'running', 'done', 'failed')),
  -- Why it failed.
  reason text,
  ended_at text
) strict, without rowid;

create index sample_blake3 on sample (blake3);
create index sample_sha512 on sample (sha512);

create table job (
  id integer primary key,
  kind text not null,
  key text not null,
  attempts integer not null default 0,
  due_at text not null,
  -- Counts the claims: whoever holds an older one has lost the job.
  lease integer not null default 0,
  -- Null where nobody works on it.
  leased_until text,
  last_error text,
  created_at text not null,
  unique (kind, key)
) strict;

create index job_due on job (kind, due_at);

create table sample_detail (
  -- The row of the file's SHA-256 in digest.
  sample_id integer primary key,
  body text not null
) strict;
