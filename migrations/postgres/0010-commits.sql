-- Where the answer to a commit is lost, it is seen here whether it was done: each connection leaves the number of its
-- transaction in that transaction. The number that PostgreSQL itself gives would not do: after a crash it gives those
-- again whose transactions had not been flushed. In a schema of its own, as it says nothing of what is kept;
-- not one that is called like a user may be, since that user's tables would then be looked for there first.

create schema if not exists rapsheet_commits;

create table rapsheet_commits.last_commit (
  connection uuid primary key,
  number bigint not null,
  at timestamptz not null
);
