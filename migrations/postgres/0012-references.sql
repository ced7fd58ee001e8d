-- What comes by the thousand a second refers to feeds and accounts, of which no row is ever removed, and was checked for each
-- row: a fifth of the cost of a create, and a lock on the row of the account whose quota others are taking from.
-- `rapsheet doctor` looks at these references instead.
alter table report drop constraint report_service_id_fkey;
alter table report drop constraint report_reporter_id_fkey;
alter table event drop constraint event_service_id_fkey;
alter table search_host drop constraint search_host_service_id_fkey;
