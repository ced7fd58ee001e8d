import type { Service } from '../../../domain/services/service.ts';
import type { AuditContext } from '../../../ports/audit-context.ts';
import type { MailChange } from '../../../ports/service-store.ts';
import { insertService, toRow } from '../../tables/services/services.ts';
import { writeAudit } from '../../units/audit.ts';
import { lockRoutes } from '../../units/locks.ts';
import { row, type UnitOfWork } from '../../units/unit-of-work.ts';
import { setMail } from '../mail/set-mail.ts';
import { auditOf } from './change-service.ts';
import { putPatterns } from './put-patterns.ts';
import { rerouteReports } from './reroute-reports.ts';

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
