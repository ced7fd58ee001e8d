-- older nodes: must stop
-- The oldest schema whose nodes may use the store. Every transaction reads it, and a migration that older nodes must not
-- outlive locks the table first: it waits for their transactions, and the next ones find a newer number.

create table admission (
  id bigint primary key check (id = 1),
  oldest_schema bigint not null
);
insert into admission values (1, 41);

-- Nodes of earlier versions do not read it. All their write transactions begin with a row of last_commit: without the
-- table they fail, and nothing is acknowledged that later versions would miss.
create table rapsheet_commits.marker (
  connection uuid primary key,
  number bigint not null,
  at timestamptz not null
);
drop table rapsheet_commits.last_commit;
