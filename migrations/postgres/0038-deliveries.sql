-- Which key encrypted a secret, which delivery failed first, and which proposals are open.

-- The id of the key, which does not reveal it. Empty: not determined yet, because the secret is
-- older than this column.
alter table webhook_secret add column key_id text collate "C" not null default '';
create index webhook_secret_key on webhook_secret (key_id, webhook_id) where valid_until is null;

-- The id of the key with which a server opened the store last.
alter table installation add column secret_key_id text collate "C";

-- The delivery that failed at failing_since. A webhook is paused when another one fails too.
alter table webhook add column failing_delivery text collate "C";

-- The open proposals of a file, which are withdrawn in slices.
create index proposal_open on proposal (sha256) where state = 'open';
