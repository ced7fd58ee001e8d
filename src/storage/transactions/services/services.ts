import { sql } from 'kysely';
import { suffixOf } from '../../../domain/ownership/challenge.ts';
import type { Service } from '../../../domain/services/service.ts';
import type { AuditContext } from '../../../ports/audit-context.ts';
import type {
  MailChange,
  ServiceChanges,
  ServicePage,
  ServiceSlice,
} from '../../../ports/service-store.ts';
import type { ServiceRow } from '../../schema/tables.ts';
import { deleteUndeclared } from '../../tables/ownership/claims.ts';
import { setMail } from '../../tables/webhooks/mail-destinations.ts';
import { writeAudit } from '../../units/audit.ts';
import { lockFeeds } from '../../units/feed-lock.ts';
import { all, lockRoutes, query, row, rows, type UnitOfWork } from '../../units/unit-of-work.ts';
import { rerouteReports } from './reroute-reports.ts';
import { putPatterns } from './service-patterns.ts';

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

const insertService = query<Values>()((db, parameter) =>
  db
    .insertInto('service')
    .values(all(parameter, COLUMNS))
    .onConflict((conflict) => conflict.column('slug').doNothing())
    .returning('id'),
);

const updateService = query<Values>()((db, parameter) =>
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

const selectService = query<{ slug: string }>()((db, parameter) =>
  db.selectFrom('service').selectAll().where('slug', '=', parameter.slug),
);

export function* addService(
  service: Service,
  audit: AuditContext,
  mail?: MailChange,
): UnitOfWork<'added' | 'exists'> {
  const hasPatterns = service.hosts.length + service.networks.length > 0;
  if (hasPatterns) yield* lockRoutes();
  const added = yield* row(insertService, toRow(service));
  if (added === undefined) return 'exists';
  const { slug } = service;
  yield* putPatterns(service);
  if (hasPatterns) yield* rerouteReports();
  if (mail !== undefined) yield* setMail({ id: added.id, slug }, mail, audit);
  yield* writeAudit(audit, 'service.add', slug, { ...service, ...auditOf(mail) });
  return 'added';
}

export function* changeService(
  slug: string,
  changes: ServiceChanges,
  audit: AuditContext,
): UnitOfWork<Service | 'absent' | 'scale-fixed'> {
  const hasPatterns = changes.hosts !== undefined || changes.networks !== undefined;
  if (hasPatterns) yield* lockRoutes();
  yield* lockFeeds([slug]);
  const found = yield* row(selectService, { slug });
  if (found === undefined) return 'absent';
  const service = withChanges(fromServiceRow(found), changes);
  // A sequence above 0 means that reports exist or existed with confidences on the old scale.
  const rescaled = service.confidenceScale !== found.confidence_scale;
  if (rescaled && found.last_sequence > 0) return 'scale-fixed';
  yield* rows(updateService, toRow(service));
  const { hosts, networks } = toRow(service);
  if (hosts !== found.hosts)
    yield* deleteUndeclared(slug, new Set(service.hosts.map(suffixOf)), audit);
  if (hosts !== found.hosts || networks !== found.networks) {
    yield* putPatterns(service);
    yield* rerouteReports();
  }
  const { mail, ...others } = changes;
  if (mail !== undefined) yield* setMail({ id: found.id, slug }, mail, audit);
  yield* writeAudit(audit, 'service.change', slug, { ...others, ...auditOf(mail) });
  return service;
}

function auditOf(mail: MailChange | undefined) {
  return mail === undefined ? {} : { mail: mail.settings ?? null };
}

export function* findService(slug: string): UnitOfWork<Service | undefined> {
  const found = yield* row(selectService, { slug });
  return found && fromServiceRow(found);
}

export function* listServices(): UnitOfWork<readonly Service[]> {
  return (yield* rows(selectServices, {})).map(fromServiceRow);
}

/** Of hosts and networks: some 2,500, which take a millisecond to read and to send. */
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

function withChanges(service: Service, changes: ServiceChanges): Service {
  return {
    ...service,
    name: changes.name ?? service.name,
    confidenceScale: changes.confidenceScale ?? service.confidenceScale,
    hosts: changes.hosts ?? service.hosts,
    networks: changes.networks ?? service.networks,
    expireAfterDays: changes.expireAfterDays ?? service.expireAfterDays,
  };
}

function toRow(service: Service): Values {
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
