/** What pg-boss has no call for, as statements on its tables. `$1` is always the name of the queue. */
export interface BossStatements {
  readonly takeBack: string;
  readonly moveClock: string;
  readonly lease: string;
  readonly extend: string;
  readonly postpone: string;
  readonly remove: string;
  readonly count: string;
  readonly backlog: string;
}

/** A lease is a heartbeat: it ends when that is so many seconds old, for pg-boss's own upkeep as well as for us. */
const LEASED_UNTIL = "heartbeat_on + heartbeat_seconds * interval '1 second'";
const MS = "interval '1 millisecond'";
/** After the clock was set back so many of the next jobs are looked at with each claim: more than a node has workers. */
const EARLY_LOOK = 100;
/** The claim is told apart by the count of claims: pg-boss's own fence. */
const HELD = "name = $1 and id = $2 and state = 'active' and retry_count = $3";

/** For a schema whose name pg-boss has accepted. All of them go by the clock of pg-boss, which is the database's. */
export function bossStatements(schema: string): BossStatements {
  const job = `${schema}.job`;
  const now = `${schema}.job_now()`;
  const heartbeatOf = (ms: string) =>
    `${now} + ${ms}::float8 * ${MS} - heartbeat_seconds * interval '1 second'`;
  return {
    /*
     * Jobs whose lease is over wait again, at most $3 of them. So do those with moments that lie in the future although
     * they cannot come from this clock: a lease longer than any ($2), or a job made later than now, are of one that was
     * set back since; of these, those are looked for that would be claimed next. All our jobs have a `group_id`: with it
     * each half is a look into an index, however many jobs wait. The state is compared as text so that the rows to lock are
     * found by their ids, and not by an index of all jobs that wait.
     */
    takeBack: `
      with lapsed as (
        select id from ${job}
        where name = $1 and state = 'active' and group_id is not null
          and (${LEASED_UNTIL} > ${now} and ${LEASED_UNTIL} <= ${now} + $2::float8 * ${MS}) is not true
        order by created_on limit $3 for update skip locked
      ), early as (
        select id from ${job}
        where name = $1 and state::text in ('created', 'retry') and id = any (array(
          select next.id from (
            select id, created_on, start_after from ${job}
            where name = $1 and state < 'active' and not blocked
            order by priority desc, created_on limit ${EARLY_LOOK}
          ) as next
          where next.created_on > ${now} and next.start_after > ${now} limit $3
        ))
        for update skip locked
      )
      update ${job} as job
      set state = case job.state when 'active' then 'retry'::${schema}.job_state else job.state end,
        start_after = least(job.start_after, ${now}),
        heartbeat_on = null
      where job.name = $1
        and job.id = any (array(select id from lapsed union all select id from early))`,

    /* In the table of the store: jobs of that turn were claimed, so that those that are added now come no earlier. */
    moveClock: `
      insert into job_turn (kind, account_id, turn) values ($1, '', $2)
      on conflict (kind, account_id) do update set turn = excluded.turn
      where job_turn.turn < excluded.turn`,

    lease: `update ${job} set heartbeat_on = ${heartbeatOf('$3')} where name = $1 and id = any ($2::uuid[])`,

    extend: `update ${job} set heartbeat_on = ${heartbeatOf('$4')} where ${HELD} returning id`,

    /* The claim is over. $4: for how long it waits; $5: what went wrong; $6: 1 where the attempt does not count. */
    postpone: `
      update ${job}
      set state = 'retry',
        start_after = coalesce(${now} + $4::float8 * ${MS}, start_after),
        heartbeat_on = null,
        output = coalesce($5::jsonb, output),
        data = jsonb_build_object('released', coalesce((data ->> 'released')::int, 0) + $6::int)
      where ${HELD}
      returning id`,

    /* In the words of the index that holds keys apart: otherwise all jobs would be read. */
    remove: `
      delete from ${job}
      where name = $1 and coalesce(singleton_key, '') = $2 and state <= 'active' and policy = 'exclusive'`,

    /* At most $2 are counted. */
    count: `
      select count(*)::int as count
      from (select 1 from ${job} where name = $1 and state <= 'active' limit $2) as counted`,

    /* At most $2 of those that wait, the next ones first, and those whose lease is over. Each half is a look into an index. */
    backlog: `
      with waiting as (
        (
          select created_on from ${job}
          where name = $1 and state < 'active' and not blocked
          order by priority desc, created_on limit $2
        ) union all (
          select created_on from ${job}
          where name = $1 and state = 'active' and group_id is not null
            and (${LEASED_UNTIL} > ${now}) is not true
          limit $2
        )
      )
      select least(count(*), $2)::int as count,
        greatest(0, extract(epoch from ${now} - min(created_on)) * 1000)::float8 as oldest_ms
      from waiting having count(*) > 0`,
  };
}
