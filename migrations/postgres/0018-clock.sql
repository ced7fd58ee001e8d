-- What time it was when housekeeping last looked, and the reading of a timer that nobody can set: by the two a jump of
-- the clock is noticed, also across a restart.

alter table installation
  add column clock_at timestamptz,
  add column clock_timer text,
  add column clock_timer_ms bigint;
