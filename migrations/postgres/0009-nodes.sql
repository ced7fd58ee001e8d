-- Many nodes on one store: by this number each of them notices that what it remembers of tokens, accounts and
-- services may have changed. It is moved in the transaction of the change.

alter table installation add column access_version bigint not null default 0;
