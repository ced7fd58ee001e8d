-- Uploads without the end of an analysis are counted for metrics and /readyz: by index, however many uploads there are.

create index upload_unfinished on upload (uploaded_at) where state in ('queued', 'running');
