-- The text of an unchanged report is stored as lists send it, and the event of its creation has its
-- number. Both are null in rows of earlier versions, which are read as before.

-- What lists send after the members of `body`. Null once the report has changed: then it is
-- composed from the columns.
alter table report add column extension text;

-- That of the report, in events of creations. The log and the numbers have the same order, so the
-- reports of a page of changes are adjacent. By their ids they are not.
alter table event add column number integer;
