import { sql } from 'kysely';
import { ONE, query } from '../../units/query.ts';
import { each, eachDeferred, row, rows, type UnitOfWork } from '../../units/unit-of-work.ts';

/**
 * The table `host_report` has the reports of frequent hosts, in the order of their numbers: of all
 * hosts with more than `MAX_OF_RARE_HOST` reports in a feed. The reports of a rare host are read
 * through the index of C2s and sorted. So creates rarely write to an index of hosts, each time to
 * another page: the new entries of a frequent host are adjacent.
 */

/** Migration 0021 has this number too. */
export const MAX_OF_RARE_HOST = 100;

export interface FeedHost {
  serviceId: number;
  host: string;
}

interface HostReport extends FeedHost {
  number: number;
}

const selectOldest = query<FeedHost>()((db, parameter) =>
  db
    .selectFrom('host_report')
    .select('number')
    .where('service_id', '=', parameter.serviceId)
    .where('host', '=', parameter.host)
    .orderBy('number')
    .limit(ONE),
);

const selectBeyondRare = query<FeedHost>()((db, parameter) =>
  db
    .selectFrom('host_report')
    .select('number')
    .where('service_id', '=', parameter.serviceId)
    .where('host', '=', parameter.host)
    .orderBy('number')
    .limit(ONE)
    .offset(sql.lit(MAX_OF_RARE_HOST)),
);

const insertListed = query<HostReport>()((db, parameter) =>
  db
    .insertInto('host_report')
    .values({ service_id: parameter.serviceId, host: parameter.host, number: parameter.number }),
);

/** Lists all reports of a host that was rare before the transaction. */
const insertAll = query<FeedHost>()((db, parameter) =>
  db.insertInto('host_report').expression((from) =>
    from
      .selectFrom('report')
      .select(['service_id', 'host', 'number'])
      .where('service_id', '=', parameter.serviceId)
      .where('host', '=', parameter.host)
      // In the order of the index of C2s.
      .orderBy('port'),
  ),
);

const deleteListed = query<HostReport>()((db, parameter) =>
  db
    .deleteFrom('host_report')
    .where('service_id', '=', parameter.serviceId)
    .where('host', '=', parameter.host)
    .where('number', '=', parameter.number)
    .returning('number'),
);

/** Removes the reports of a host that has become rare. */
const deleteAll = query<FeedHost>()((db, parameter) =>
  db
    .deleteFrom('host_report')
    .where('service_id', '=', parameter.serviceId)
    .where('host', '=', parameter.host),
);

/** Which of these hosts are in `host_report`. */
export function* areListed(hosts: readonly FeedHost[]): UnitOfWork<readonly boolean[]> {
  return (yield* each(selectOldest, hosts)).map(({ length }) => length > 0);
}

/** The oldest report of a host; `undefined` if it is not in `host_report`. */
export function* oldestListed(host: FeedHost): UnitOfWork<number | undefined> {
  return (yield* row(selectOldest, host))?.number;
}

/**
 * Lists new reports of frequent hosts, after they were inserted. `isListed`: whether `host_report`
 * has the earlier ones of the host.
 */
export function* listByHost(
  reports: readonly (HostReport & { readonly isListed: boolean })[],
): UnitOfWork<void> {
  yield* eachDeferred(
    insertListed,
    reports.filter(({ isListed }) => isListed),
  );
  const unlisted = new Map<string, FeedHost>();
  for (const { isListed, serviceId, host } of reports)
    if (!isListed) unlisted.set(`${serviceId} ${host}`, { serviceId, host });
  // One at a time: an insert from a select has no form for a list.
  for (const host of unlisted.values()) yield* eachDeferred(insertAll, [host]);
}

export function* removeFromHost(report: HostReport): UnitOfWork<void> {
  if ((yield* row(deleteListed, report)) === undefined) return;
  if ((yield* row(selectBeyondRare, report)) === undefined) yield* rows(deleteAll, report);
}
