-- A service can prove that it owns the hosts it declares: it publishes a token in the DNS, or on its web server.

-- The token of a service. Created when an owner first asks for it.
create table service_challenge (
  slug text primary key references service (slug),
  token text not null,
  created_at text not null
) strict, without rowid;

-- What is known of each host that was checked. A proof for example.com holds for example.com and *.example.com.
create table service_claim (
  slug text not null references service (slug),
  -- The declared host without the leading *.
  suffix text not null,
  -- The method of the proof, or of the last check if there is none.
  method text not null check (method in ('dns', 'http')),
  -- Null: declared, not proven.
  verified_at text,
  -- When the last check was started, and when the last one ended.
  asked_at text not null,
  checked_at text,
  -- The first of the failed checks since the last successful one.
  failing_since text,
  problem text,
  -- The next check of a proof.
  due_at text,
  -- While a node makes that check.
  leased_until text,
  primary key (slug, suffix)
) strict, without rowid;

create index service_claim_due on service_claim (due_at) where due_at is not null;
create index service_claim_leased on service_claim (leased_until) where leased_until is not null;

-- 1: the service has proven that it owns the host. Of services with the same pattern, such a one is preferred.
alter table service_pattern add column verified integer not null default 0 check (verified in (0, 1));

create index service_pattern_route on service_pattern (key, verified desc, slug);
