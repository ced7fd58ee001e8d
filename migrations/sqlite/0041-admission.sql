-- older nodes: must stop
-- The oldest schema whose processes may use the store. Every transaction reads it.

create table admission (
  id integer primary key check (id = 1),
  oldest_schema integer not null
) strict;
insert into admission values (1, 41);
