-- Search over all feeds and all samples. Where it can, it reads the indexes behind the lists of feeds.

-- The hosts of each feed, from their end: what stands below a name lies behind it. Addresses are as they are.
create table search_host (
  -- com.example.evil
  reversed text not null,
  service_id integer not null references service (id),
  primary key (reversed, service_id)
) strict, without rowid;

-- What reports of each feed are called and tagged.
create table search_term (
  id integer primary key autoincrement,
  service_id integer not null references service (id),
  text text not null,
  -- Without case.
  folded text not null,
  unique (service_id, text)
) strict;

create index search_term_folded on search_term (folded);

-- The words of those, by their numbers; and those of samples, numbered like their fuzzy hashes.
create virtual table term_text using fts5 (
  words, content = '', contentless_delete = 1, detail = none, tokenize = 'ascii', prefix = '3 5'
);
create virtual table sample_text using fts5 (
  words, content = '', contentless_delete = 1, detail = none, tokenize = 'ascii', prefix = '3 5'
);

create index report_name on report (service_id, name);
-- Lists leave out what has expired, search does not. These are written when a report expires, not when it comes.
create index report_host_expired on report (service_id, host) where status = 'expired';
create index report_reporter_expired on report (service_id, reported_by) where status = 'expired';

-- Names are told apart by case; who searches does not have to.
create index account_folded on account (lower(name));

-- Files that have no report, or none yet: the others are among the words with these hashes.
create index sample_md5 on sample (md5) where state <> 'done';
create index sample_sha1 on sample (sha1) where state <> 'done';

-- What was there before follows in the background.
insert into back_fill (name, position)
select 'search_report', 0 where exists (select 1 from report);
insert into back_fill (name, position)
select 'search_sample', -1 where exists (select 1 from digest);
