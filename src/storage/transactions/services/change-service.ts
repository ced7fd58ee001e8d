import { suffixOf } from '../../../domain/ownership/challenge.ts';
import type { Service } from '../../../domain/services/service.ts';
import type { AuditContext } from '../../../ports/audit-context.ts';
import type { MailChange, ServiceChanges } from '../../../ports/service-store.ts';
import { deleteUndeclared } from '../../tables/ownership/claims.ts';
import {
  fromServiceRow,
  selectService,
  toRow,
  updateService,
} from '../../tables/services/services.ts';
import { setMail } from '../../tables/webhooks/mail-destinations.ts';
import { writeAudit } from '../../units/audit.ts';
import { lockFeeds, lockRoutes } from '../../units/locks.ts';
import { row, rows, type UnitOfWork } from '../../units/unit-of-work.ts';
import { rerouteReports } from './reroute-reports.ts';
import { putPatterns } from './service-patterns.ts';

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

export function auditOf(mail: MailChange | undefined) {
  return mail === undefined ? {} : { mail: mail.settings ?? null };
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
