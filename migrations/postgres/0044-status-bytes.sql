-- older nodes: must stop
-- The bytes that the statuses of TAXII submissions use, by account. Older statuses count as 0; they are deleted within
-- two days.

alter table taxii_status add column size_bytes integer not null default 0;

alter table account_usage add column status_bytes bigint not null default 0;
