-- The number of the report, in events of creations and renewals. The reports of a page of changes are then found by the
-- primary key, and those of creations are adjacent. Null in other events and in those of earlier versions: their reports
-- are found by id.
alter table event add column number bigint;
