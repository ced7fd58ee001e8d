-- Who is behind what goes on after a request: the owner of a webhook, the token that issued a token, who set a status, and
-- whose report was deleted.

-- Deliveries are sent while this account is live and owns the feed.
alter table webhook add column account_id text collate "C" references account (id);
-- Set where an administrator disabled it: then only an administrator enables it.
alter table webhook add column disabled_by text collate "C";
update webhook set account_id = (select account.id from account where account.name = webhook.created_by);
create index webhook_account on webhook (account_id, id);

-- The token with which it was issued; null where an operator did it at a terminal.
alter table token add column issuer_id text collate "C";
create index token_issuer on token (issuer_id) where issuer_id is not null;

-- The account that last set the status at the desk.
alter table report add column status_by text collate "C";
-- The account whose report it was.
alter table tombstone add column reporter_id text collate "C";
