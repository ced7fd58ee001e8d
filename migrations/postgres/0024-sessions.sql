-- Sign-in from a browser: sessions, and links that start one.

create table session (
  id text collate "C" primary key,
  account_id text collate "C" not null references account (id),
  digest bytea not null unique,
  -- The token that started it; null where a link did.
  token_id text collate "C",
  created_at timestamptz not null,
  expires_at timestamptz not null
);

create index session_account on session (account_id, id);
create index session_expiry on session (expires_at);

-- A link is deleted when it is used.
create table sign_in_link (
  id text collate "C" primary key,
  account_id text collate "C" not null references account (id),
  digest bytea not null unique,
  purpose text collate "C" not null check (purpose in ('sign-in', 'invitation')),
  created_at timestamptz not null,
  expires_at timestamptz not null
);

create index sign_in_link_account on sign_in_link (account_id, id);
create index sign_in_link_expiry on sign_in_link (expires_at);

-- As in 0013: where few accounts have most of the rows, the planner would look up an id in an index that only ends with it.
alter table session alter column account_id set (n_distinct = 1000);
alter table sign_in_link alter column account_id set (n_distinct = 1000);
