-- Breaking: processes of an older version fail on the new tables. Stop them before the upgrade.

-- Analyses are appended, and a narrow table finds them by their hashes. Before, they were stored in the order of the
-- hashes, so that an import wrote a page at random for each of the three.

-- The new id of each sample is that of its fuzzy hash, which the index of words and that of grams use already.
create table sample_number (
  id integer primary key,
  old_id integer not null
) strict;
insert into sample_number select id, sample_id from fuzzy_hash order by id;
create unique index sample_number_old on sample_number (old_id);
-- Analyses that have no fuzzy hash yet.
insert into sample_number (old_id)
select id from sample
where kind = 1 and not exists (select 1 from sample_number where old_id = sample.id)
order by id;

create table numbered_sample (
  -- The newest has the highest.
  id integer primary key,
  sha256 blob not null,
  blake3 blob not null,
  sha512 blob not null,
  -- The name that reports of the file take from its analysis.
  family text,
  analysed_at text not null,
  body text not null
) strict;
insert into numbered_sample
select sample_number.id, sample.value, second.value, third.value, sample.family, sample.analysed_at, sample.body
from sample_number
cross join sample on sample.id = sample_number.old_id
cross join sample as second on second.id = sample.blake3_id
cross join sample as third on third.id = sample.sha512_id
order by sample_number.id;

create table sample_hash (
  -- Begins with the first 52 bits of a hash. The few ids that follow are for hashes that begin alike.
  id integer primary key,
  -- The whole hash is there.
  sample_id integer not null
) strict;
insert into sample_hash
select sample.id, sample_number.id
from sample
cross join sample_number on sample_number.old_id = sample.sample_id
order by sample.id;

create table numbered_detail (
  sample_id integer primary key,
  body text not null
) strict;
insert into numbered_detail
select sample_number.id, sample_detail.body
from sample_number
cross join sample_detail on sample_detail.sample_id = sample_number.old_id
order by sample_number.id;

update sample_c2 set sample_id = sample_number.id
from sample_number where sample_number.old_id = sample_c2.sample_id;

create table numbered_hash (
  -- That of the sample.
  id integer primary key,
  -- Empty where the report has none that can be read.
  text text not null,
  file_name text not null,
  tags text not null,
  -- 1 where its grams are still to be written.
  due integer not null check (due in (0, 1))
) strict;
insert into numbered_hash select id, text, file_name, tags, due from fuzzy_hash order by id;

-- The positions were ids of the old table.
update back_fill set position = -1 where name in ('fuzzy_hash', 'search_sample');

drop table sample_number;
drop table sample;
alter table numbered_sample rename to sample;
drop table sample_detail;
alter table numbered_detail rename to sample_detail;
drop table fuzzy_hash;
alter table numbered_hash rename to fuzzy_hash;
create index fuzzy_hash_due on fuzzy_hash (id) where due = 1;
