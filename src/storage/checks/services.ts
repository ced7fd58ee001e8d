import { sql } from 'kysely';
import { patternsOf } from '../../domain/reports/route.ts';
import { backFillPosition } from '../sql/search/back-fill.ts';
import { rows } from '../unit-of-work.ts';
import { pagedCheck, statement } from './check.ts';

const PAGE = 20;

interface ServiceRow {
  readonly id: number;
  readonly slug: string;
  readonly hosts: string;
  readonly networks: string;
}

const selectServices = statement<ServiceRow, { after: number; limit: number }>(
  (parameter) => sql`
    select id, slug, hosts, networks from service
    where id > ${parameter.after} order by id limit ${parameter.limit}`,
);

const selectKeys = statement<{ key: string }, { slug: string }>(
  (parameter) => sql`select key from service_pattern where slug = ${parameter.slug} order by key`,
);

/** The index by which the service of a host is found has exactly what services declare. */
export const servicePatterns = pagedCheck('hosts and networks of services', {
  page: (after) => rows(selectServices, { after: Number(after ?? 0), limit: PAGE }),
  keyOf: ({ id }) => id,
  *findingsIn(services) {
    const until = (yield* backFillPosition('service_pattern')) ?? Number.MAX_SAFE_INTEGER;
    const indexed = services.filter(({ id }) => id <= until);
    const wrong: string[] = [];
    for (const { slug, hosts, networks } of indexed) {
      const keys = (yield* rows(selectKeys, { slug })).map(({ key }) => key);
      const patterns = patternsOf({ hosts: JSON.parse(hosts), networks: JSON.parse(networks) });
      const declared = new Set(patterns.map(({ key }) => key));
      const isSame = keys.length === declared.size && keys.every((key) => declared.has(key));
      if (!isSame) wrong.push(`${slug}: it is found by other hosts and networks than it declares`);
    }
    return wrong;
  },
});
