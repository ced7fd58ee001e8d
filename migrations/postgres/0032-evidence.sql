-- Whether the configuration in the file of a report names its C2, and which service answers for the C2.

alter table report add column confirmation text collate "C" not null default 'unknown'
  check (confirmation in ('confirmed', 'contradicted', 'unknown'));
-- The slug; null if no service declares the host.
alter table report add column routed_to text collate "C";

-- Whether the settings of the file have C2s besides these: on a dead drop, or without a port. Null in older rows: the
-- analysis itself is read then.
alter table sample_c2 add column has_more bigint check (has_more in (0, 1));

-- One step to whether a file names a C2, also for a file that names a thousand.
create index sample_c2_named on sample_c2 (sample_id, reversed, port);
drop index sample_c2_sample;

-- Existing reports follow in the background, newest first: those with a lower number are not done yet.
insert into back_fill (name, position)
select 'report_evidence', max(number) + 1 from report having max(number) is not null;
