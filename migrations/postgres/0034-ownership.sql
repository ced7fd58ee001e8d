-- A service can prove that it owns the hosts it declares: it publishes a token in the DNS, or on its web server.

-- The token of a service. Created when an owner first asks for it.
create table service_challenge (
  slug text collate "C" primary key references service (slug),
  token text collate "C" not null,
  created_at timestamptz not null
);

-- What is known of each host that was checked. A proof for example.com holds for example.com and *.example.com.
create table service_claim (
  slug text collate "C" not null references service (slug),
  -- The declared host without the leading *.
  suffix text collate "C" not null,
  -- The method of the proof, or of the last check if there is none.
  method text collate "C" not null check (method in ('dns', 'http')),
  -- Null: declared, not proven.
  verified_at timestamptz,
  -- When the last check was started, and when the last one ended.
  asked_at timestamptz not null,
  checked_at timestamptz,
  -- The first of the failed checks since the last successful one.
  failing_since timestamptz,
  problem text collate "C",
  -- The next check of a proof.
  due_at timestamptz,
  -- While a node makes that check.
  leased_until timestamptz,
  primary key (slug, suffix)
);

create index service_claim_due on service_claim (due_at) where due_at is not null;
create index service_claim_leased on service_claim (leased_until) where leased_until is not null;

-- 1: the service has proven that it owns the host. Of services with the same pattern, such a one is preferred.
alter table service_pattern add column verified bigint not null default 0 check (verified in (0, 1));

create index service_pattern_route on service_pattern (key, verified desc, slug);
alter table service_claim alter column slug set (n_distinct = 1000);
