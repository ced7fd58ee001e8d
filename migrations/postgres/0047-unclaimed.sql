-- older nodes: must stop
-- The built-in service, whose feed has the reports of addresses that no service has declared. One that has the slug already
-- becomes the built-in one, with its reports and all it has.
insert into service (slug, name, confidence_scale, hosts, networks, created_at, expire_after_days)
values ('unclaimed', 'Unclaimed', 100, '[]', '[]', date_trunc('milliseconds', now()), 90)
on conflict (slug) do nothing;

-- Accounts with the role admin or notices own that feed, and nobody else. Its owners from before get that role.
update account set roles = case roles when '[]' then '["notices"]' else left(roles, -1) || ',"notices"]' end
where roles not like '%"admin"%' and exists (
  select 1 from account_service inner join service on service.id = account_service.service_id
  where account_service.account_id = account.id and service.slug = 'unclaimed'
);

insert into account_service (account_id, service_id)
select account.id, service.id from account cross join service
where account.roles like '%"admin"%' and service.slug = 'unclaimed'
on conflict do nothing;
