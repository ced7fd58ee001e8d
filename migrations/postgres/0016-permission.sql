-- Who is behind what goes on after a request: the owner of a webhook, the token that issued a token, who set a status, and
-- whose report was deleted.

-- Deliveries are sent while this account is live and owns the feed.
alter table webhook add column account_id text collate "C" references account (id);
-- Set where an administrator disabled it: then only an administrator enables it.
alter table webhook add column disabled_by text collate "C";
update webhook set account_id = (select account.id from account where account.name = webhook.created_by);
create index webhook_account on webhook (account_id, id);
-- An administrator lists those of a feed in pages, in the order of their ids.
create index webhook_listed on webhook (service_id, id);
drop index webhook_service;

-- The token with which it was issued; null where an operator did it at a terminal.
alter table token add column issuer_id text collate "C";
create index token_issuer on token (issuer_id) where issuer_id is not null;

-- The account that last set the status at the desk.
alter table report add column status_by text collate "C";
-- The account whose report it was.
alter table tombstone add column reporter_id text collate "C";

-- As in 0013: where few feeds or accounts have most of the rows, the planner would look up an id in an index that only ends
-- with it, or walk through all ids for a page of one account.
alter table webhook
  alter column service_id set (n_distinct = 1000),
  alter column account_id set (n_distinct = 1000);
alter table token alter column account_id set (n_distinct = 1000);
do $$
begin
  if exists (select from token) then
    analyze token;
  end if;
  if exists (select from webhook) then
    analyze webhook;
  end if;
end
$$;
