-- Which files are similar by TLSH.

-- The id is that of the sample. Only analyses made here have a digest.
create table tlsh (
  id bigint primary key,
  text text collate "C" not null
);

-- The bands of each digest. Two digests with few differences share some of them.
create table tlsh_band (
  band bigint not null,
  tlsh_id bigint not null,
  primary key (band, tlsh_id)
);

-- Statements are planned once, for any argument.
alter table tlsh_band
  alter column band set (n_distinct = 1000),
  alter column tlsh_id set (n_distinct = 1000);
