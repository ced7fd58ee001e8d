-- A service may get its new reports by mail. The destination is a row of webhook with the URL mailto:<address>, so that
-- deliveries, retries and the log are those of webhooks. It has no owner and no secret; administrators set it.

-- Null for a webhook.
alter table webhook add column mail_format text collate "C" check (mail_format in ('xarf', 'arf'));
alter table webhook add column mail_delivery text collate "C" check (mail_delivery in ('each', 'daily'));

-- A service has at most one.
create unique index webhook_mail on webhook (service_id) where mail_format is not null and removed_at is null;
