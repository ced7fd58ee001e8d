-- Sign-in from a browser: sessions, and links that start one.

create table session (
  id text primary key,
  account_id text not null references account (id),
  digest blob not null unique,
  -- The token that started it; null where a link did.
  token_id text,
  created_at text not null,
  expires_at text not null
) strict, without rowid;

create index session_account on session (account_id, id);
create index session_expiry on session (expires_at);

-- A link is deleted when it is used.
create table sign_in_link (
  id text primary key,
  account_id text not null references account (id),
  digest blob not null unique,
  purpose text not null check (purpose in ('sign-in', 'invitation')),
  created_at text not null,
  expires_at text not null
) strict, without rowid;

create index sign_in_link_account on sign_in_link (account_id, id);
create index sign_in_link_expiry on sign_in_link (expires_at);
