import { sql } from 'kysely';
import { query } from '../../units/query.ts';

export const selectDue = query<{ now: string; limit: number }>()((db, parameter) =>
  db
    .selectFrom('report')
    .innerJoin('service', 'service.id', 'report.service_id')
    .select([
      'report.id',
      'report.number',
      'report.service_id',
      'report.host',
      'report.port',
      'report.status',
      'report.reporter_id',
      'service.slug as service',
      'service.expire_after_days as expireAfterDays',
    ])
    // Literals, as in the partial index: parameters would not match the index.
    .where(sql<boolean>`report.status in ('open', 'acknowledged')`)
    .where('report.expires_at', '<=', parameter.now)
    .orderBy('report.expires_at')
    .limit(parameter.limit),
);
