-- How many units of the last call came from `quota_extra`: a call that was charged and could not be answered gets them
-- back where they were taken from. The units of a window are worth nothing after it, the others are.
alter table account add column quota_from_extra bigint not null default 0;
