-- Analysis reports, ready to be sent, in one index over the three hashes each of them is found by.

-- A row for each hash of a file. The id begins with the first 52 bits of the hash, so a file is found in one
-- descent by a small key, and its report stands in the same row: that of its SHA-256. The few ids that follow
-- are for hashes that begin alike; the whole value is always compared.
create table digest (
  id bigint primary key,
  value bytea not null,
  -- 1 SHA-256, 2 BLAKE3, 3 SHA-512.
  kind bigint not null check (kind in (1, 2, 3)),
  -- The row of the file's SHA-256. The rest is there alone.
  sample_id bigint not null,
  blake3_id bigint,
  sha512_id bigint,
  -- The name that reports of the file take from its analysis.
  family text collate "C",
  analysed_at timestamptz,
  body text collate "C"
);

create table sample_tombstone (
  sha256 bytea primary key,
  deleted_at timestamptz not null,
  deleted_by text collate "C" not null,
  reason text collate "C" not null
);
