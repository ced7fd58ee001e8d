-- older nodes: must stop
-- What an account is told apart by, who issued a token, and judgements that nobody can give themselves or delete.

-- Equal for names that look alike: see `accountNameKey`. Null until the next account is added; the id, if an older account
-- has a name that looks the same.
alter table account add column name_key text collate "C";
create unique index account_by_name_key on account (name_key);
create index account_without_key on account (id) where name_key is null;
-- Finds the administrators: `roles` is one of a few texts.
create index account_roles on account (roles);

-- 'session', 'token', or 'operator' for the command line; null if the token is older than this column.
alter table token add column issued_via text collate "C";
-- The account of that session or token.
alter table token add column issuer_account_id text collate "C";
create index token_issued_in_session on token (issuer_account_id) where issued_via = 'session';

-- 1: the reporter owned the feed when this status was set. Null if it is older than this column.
alter table status_change add column is_self bigint;
-- The last judgement by others, 'right' or 'wrong'; null without one.
alter table report add column judgement text collate "C";
alter table tombstone add column judgement text collate "C";

-- The judgements of existing reports, and of deleted ones, which are not counted again.
alter table statistic_reporter add column judged_right bigint not null default 0;
alter table statistic_reporter add column judged_wrong bigint not null default 0;
create table deleted_judgement (
  reporter_id text collate "C" not null,
  service_id bigint not null,
  judged_right bigint not null default 0,
  judged_wrong bigint not null default 0,
  primary key (reporter_id, service_id)
);
alter table deleted_judgement alter column reporter_id set (n_distinct = 1000);

-- All reports are counted again in the background, newest first.
delete from statistic_total;
delete from statistic_day;
delete from statistic_family;
delete from statistic_reporter;
delete from back_fill where name = 'statistics';
insert into back_fill (name, position)
select 'statistics', max(number) + 1 from report having max(number) is not null;
