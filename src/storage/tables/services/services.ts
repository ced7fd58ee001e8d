import { sql } from 'kysely';
import type { Service } from '../../../domain/services/service.ts';
import type { ServicePage, ServiceSlice } from '../../../ports/service-store.ts';
import type { ServiceRow } from '../../schema/tables.ts';
import { all, query } from '../../units/query.ts';
import { row, rows, type UnitOfWork } from '../../units/unit-of-work.ts';

const COLUMNS = [
  'slug',
  'name',
  'confidence_scale',
  'hosts',
  'networks',
  'expire_after_days',
  'created_at',
] as const;

type Values = Pick<ServiceRow, (typeof COLUMNS)[number]>;

export const insertService = query<Values>()((db, parameter) =>
  db
    .insertInto('service')
    .values(all(parameter, COLUMNS))
    .onConflict((conflict) => conflict.column('slug').doNothing())
    .returning('id'),
);

export const updateService = query<Values>()((db, parameter) =>
  db
    .updateTable('service')
    .set(all(parameter, ['name', 'confidence_scale', 'hosts', 'networks', 'expire_after_days']))
    .where('slug', '=', parameter.slug),
);

const selectServices = query()((db) => db.selectFrom('service').selectAll().orderBy('slug'));

/** Neither database reads the texts for their lengths. */
const selectSizes = query<{ after: string; limit: number }>()((db, parameter) =>
  db
    .selectFrom('service')
    .select(sql<number>`octet_length(hosts) + octet_length(networks)`.as('bytes'))
    .where('slug', '>', parameter.after)
    .orderBy('slug')
    .limit(parameter.limit),
);

const selectPage = query<{ after: string; limit: number }>()((db, parameter) =>
  db
    .selectFrom('service')
    .selectAll()
    .where('slug', '>', parameter.after)
    .orderBy('slug')
    .limit(parameter.limit),
);

export const selectService = query<{ slug: string }>()((db, parameter) =>
  db.selectFrom('service').selectAll().where('slug', '=', parameter.slug),
);

const selectName = query<{ slug: string }>()((db, parameter) =>
  db.selectFrom('service').select(['name', 'created_at']).where('slug', '=', parameter.slug),
);

export function* findService(slug: string): UnitOfWork<Service | undefined> {
  const found = yield* row(selectService, { slug });
  return found && fromServiceRow(found);
}

/** Without the hosts and networks, which may be many. */
export function* findServiceName(
  slug: string,
): UnitOfWork<Pick<Service, 'name' | 'createdAt'> | undefined> {
  const found = yield* row(selectName, { slug });
  return found && { name: found.name, createdAt: new Date(found.created_at) };
}

export function* listServices(): UnitOfWork<readonly Service[]> {
  return (yield* rows(selectServices, {})).map(fromServiceRow);
}

/** The text of some 2,500 hosts and networks, which takes a millisecond to read and to send. */
const MAX_PAGE_BYTES = 64 * 1024;

export function* pageOfServices({ after = '', limit }: ServicePage): UnitOfWork<ServiceSlice> {
  // The extra row shows whether there are more.
  const sizes = yield* rows(selectSizes, { after, limit: limit + 1 });
  let bytes = 0;
  const tooMany = sizes.findIndex((size, index) => {
    bytes += size.bytes;
    return index > 0 && bytes > MAX_PAGE_BYTES;
  });
  const count = Math.min(limit, tooMany === -1 ? sizes.length : tooMany);
  const found = count === 0 ? [] : yield* rows(selectPage, { after, limit: count });
  return { services: found.map(fromServiceRow), hasMore: count < sizes.length };
}

export function toRow(service: Service): Values {
  return {
    slug: service.slug,
    name: service.name,
    confidence_scale: service.confidenceScale,
    hosts: JSON.stringify(service.hosts),
    networks: JSON.stringify(service.networks),
    expire_after_days: service.expireAfterDays,
    created_at: service.createdAt.toISOString(),
  };
}

export function fromServiceRow(row: ServiceRow): Service {
  return {
    slug: row.slug,
    name: row.name,
    confidenceScale: row.confidence_scale,
    hosts: JSON.parse(row.hosts),
    networks: JSON.parse(row.networks),
    expireAfterDays: row.expire_after_days,
    createdAt: new Date(row.created_at),
  };
}
