-- Which files are alike, by their fuzzy hashes.

create table fuzzy_hash (
  id integer primary key,
  -- The row of the file's SHA-256 in digest.
  sample_id integer not null unique,
  -- Empty where the report has none that can be read.
  text text not null,
  file_name text not null,
  tags text not null,
  -- 1 where its grams are still to be written.
  due integer not null check (due in (0, 1))
) strict;

create index fuzzy_hash_due on fuzzy_hash (id) where due = 1;

-- Two fuzzy hashes that have anything in common share one of these.
create table gram (
  gram integer not null,
  fuzzy_hash_id integer not null,
  primary key (gram, fuzzy_hash_id)
) strict, without rowid;

-- Work on old rows that goes on where it stopped; a row goes when it is done.
create table back_fill (
  name text primary key,
  -- The last row that was looked at.
  position integer not null
) strict, without rowid;

insert into back_fill (name, position)
select 'fuzzy_hash', -1 where exists (select 1 from digest);
