import { type Query, query } from '../../../units/query.ts';
import { type Order, UNEXPIRED } from './list-queries.ts';

interface Period {
  serviceId: number;
  from: string;
  to: string;
  limit: number;
}

interface Moment {
  serviceId: number;
  at: string;
  after: number;
  limit: number;
}

interface TimeQueries {
  /** The reports of a period, by time. */
  readonly find: Query<Period, { number: number; time: string }>;
  /** The other reports of the same time, after a number. */
  readonly same: Query<Moment, { number: number; time: string }>;
}

function timeQueriesOf(order: Order): TimeQueries {
  return {
    find: query<Period>()((db, parameter) =>
      db
        .selectFrom('report')
        .select(['number', 'reported_at as time'])
        .where('service_id', '=', parameter.serviceId)
        .where(UNEXPIRED)
        .where('reported_at', '>=', parameter.from)
        .where('reported_at', '<', parameter.to)
        .orderBy('reported_at', order)
        .orderBy('number', order)
        .limit(parameter.limit),
    ),
    same: query<Moment>()((db, parameter) =>
      db
        .selectFrom('report')
        .select(['number', 'reported_at as time'])
        .where('service_id', '=', parameter.serviceId)
        .where(UNEXPIRED)
        .where('reported_at', '=', parameter.at)
        .where('number', order === 'asc' ? '>' : '<', parameter.after)
        .orderBy('number', order)
        .limit(parameter.limit),
    ),
  };
}

export const TIME_QUERIES = { asc: timeQueriesOf('asc'), desc: timeQueriesOf('desc') };
