-- Which files are similar by TLSH.

-- The id is that of the sample. Only analyses made here have a digest.
create table tlsh (
  id integer primary key,
  text text not null
) strict;

-- The bands of each digest. Two digests with few differences share some of them.
create table tlsh_band (
  band integer not null,
  tlsh_id integer not null,
  primary key (band, tlsh_id)
) strict, without rowid;
