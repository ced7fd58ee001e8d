-- Statements are planned once, for any argument (`plan_cache_mode = force_generic_plan`). Where most reports name one host,
-- statistics would let the planner believe that every host has as many, and it would walk through the table rather
-- than follow the index of hosts; a host that is rare would then cost a walk through all reports. So the planner is told that
-- these columns have many values, whatever they hold at the moment.
alter table report
  alter column host set (n_distinct = 1000),
  alter column port set (n_distinct = 1000),
  alter column sha256 set (n_distinct = 1000),
  alter column name set (n_distinct = 1000),
  alter column reporter_id set (n_distinct = 1000),
  alter column reported_by set (n_distinct = 1000),
  alter column reported_at set (n_distinct = 1000),
  alter column confidence set (n_distinct = 1000),
  alter column status set (n_distinct = 1000);
alter table report_tag alter column tag set (n_distinct = 1000);
alter table c2_reporter
  alter column host set (n_distinct = 1000),
  alter column port set (n_distinct = 1000),
  alter column reporter_id set (n_distinct = 1000);
alter table delivery
  alter column webhook_id set (n_distinct = 1000),
  alter column state set (n_distinct = 1000);
alter table sample_c2
  alter column reversed set (n_distinct = 1000),
  alter column port set (n_distinct = 1000);
alter table gram
  alter column gram set (n_distinct = 1000),
  alter column fuzzy_hash_id set (n_distinct = 1000);

-- It counts from the next statistics on: these. Not those of an empty table, which would be planned for as if it stayed so.
do $$
begin
  if exists (select from report) then
    analyze report, report_tag, c2_reporter, delivery, sample_c2, gram;
  end if;
end
$$;
