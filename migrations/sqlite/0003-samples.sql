-- Analysis reports, ready to be sent, and one index over the three hashes each of them is found by.

create table sample (
  id integer primary key,
  sha256 blob not null,
  sha512 blob not null,
  blake3 blob not null,
  analysed_at text not null,
  body text not null
) strict;

-- kind: 1 SHA-256, 2 BLAKE3, 3 SHA-512; a lookup takes the lowest that fits.
create table digest (
  value blob not null,
  kind integer not null check (kind in (1, 2, 3)),
  sample_id integer not null references sample (id),
  -- With the SHA-256 alone: the name that reports of the file take from its analysis. It stands here and
  -- not with the sample, so that a create finds it on the page where it looks for the file.
  family text,
  primary key (value, kind)
) strict, without rowid;

create table sample_tombstone (
  sha256 blob primary key,
  deleted_at text not null,
  deleted_by text not null,
  reason text not null
) strict, without rowid;
