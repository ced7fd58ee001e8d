-- How many units of the last call came from `quota_extra`. Only a store on PostgreSQL gives units back, where the answer
-- to a commit can be lost; both have the same columns.
alter table account add column quota_from_extra integer not null default 0;
