-- Administrators list the failed analyses, newest first, and count those that run: by index, however many uploads
-- there are.

-- The attempts of the analysis that failed; null if it has not failed, or failed before this column existed.
alter table upload add column attempts integer;

create index upload_failed on upload (ended_at, sha256) where state = 'failed';
create index upload_running on upload (uploaded_at) where state = 'running';
