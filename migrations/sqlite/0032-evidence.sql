-- Whether the configuration in the file of a report names its C2, and which service answers for the C2.

alter table report add column confirmation text not null default 'unknown'
  check (confirmation in ('confirmed', 'contradicted', 'unknown'));
-- The slug; null if no service declares the host.
alter table report add column routed_to text;

-- Existing reports follow in the background, newest first: those with a lower number are not done yet.
insert into back_fill (name, position)
select 'report_evidence', max(number) + 1 from report having max(number) is not null;
