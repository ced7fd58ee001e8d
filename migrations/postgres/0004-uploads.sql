-- Files that were uploaded, and what lies behind the reports we made ourselves. The jobs that are to be done are with pg-boss.

-- The bytes themselves are kept elsewhere, under the SHA-256.
create table sample (
  sha256 bytea primary key,
  blake3 bytea not null,
  sha512 bytea not null,
  md5 bytea not null,
  sha1 bytea not null,
  size_bytes bigint not null,
  file_name text collate "C" not null,
  uploaded_by text collate "C" not null references account (id),
  uploaded_at timestamptz not null,
  state text collate "C" not null check (state in ('queued', 'running', 'done', 'failed')),
  -- Why it failed.
  reason text collate "C",
  ended_at timestamptz
);

create index sample_blake3 on sample (blake3);
create index sample_sha512 on sample (sha512);

create table sample_detail (
  -- The row of the file's SHA-256 in digest.
  sample_id bigint primary key,
  body text collate "C" not null
);
