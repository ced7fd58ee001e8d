import { ONE, query } from '../../units/query.ts';
import { each, type UnitOfWork } from '../../units/unit-of-work.ts';

const selectNextPort = query<{ serviceId: number; host: string; after: number }>()(
  (db, parameter) =>
    db
      .selectFrom('report')
      .select('port')
      .where('service_id', '=', parameter.serviceId)
      .where('host', '=', parameter.host)
      .where('port', '>', parameter.after)
      .orderBy('port')
      .limit(ONE),
);

/** The next port of the host in each feed that has one. */
export function* nextPortsInFeeds(
  feeds: readonly number[],
  host: string,
  after: number,
): UnitOfWork<readonly number[]> {
  const found = yield* each(
    selectNextPort,
    feeds.map((serviceId) => ({ serviceId, host, after })),
  );
  return found.flat().map(({ port }) => port);
}
