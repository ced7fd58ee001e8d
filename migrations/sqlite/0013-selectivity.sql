-- Nothing: SQLite plans without statistics, and must not be given any.
select 1;
