import { suffixOf } from '../../../domain/ownership/challenge.ts';
import type { Service } from '../../../domain/services/service.ts';
import {
  decideServiceChange,
  type ServiceRefusal,
} from '../../../domain/services/service-change.ts';
import type { AuditContext } from '../../../ports/audit-context.ts';
import type { MailChange, ServiceChanges } from '../../../ports/service-store.ts';
import { deleteUndeclared } from '../../tables/ownership/claims.ts';
import {
  fromServiceRow,
  selectService,
  toRow,
  updateService,
} from '../../tables/services/services.ts';
import { writeAudit } from '../../units/audit.ts';
import { lockFeeds, lockRoutes } from '../../units/locks.ts';
import { row, rows, type UnitOfWork } from '../../units/unit-of-work.ts';
import { setMail } from '../mail/set-mail.ts';
import { putPatterns } from './put-patterns.ts';
import { rerouteReports } from './reroute-reports.ts';

export function* changeService(
  slug: string,
  changes: ServiceChanges,
  audit: AuditContext,
): UnitOfWork<Service | 'absent' | ServiceRefusal> {
  const hasPatterns = changes.hosts !== undefined || changes.networks !== undefined;
  if (hasPatterns) yield* lockRoutes();
  yield* lockFeeds([slug]);
  const found = yield* row(selectService, { slug });
  if (found === undefined) return 'absent';

  const decision = decideServiceChange(fromServiceRow(found), changes, {
    hasHadReports: found.last_sequence > 0,
  });
  if (typeof decision === 'string') return decision;

  const { service } = decision;
  yield* rows(updateService, toRow(service));
  if (decision.hasOtherHosts)
    yield* deleteUndeclared(slug, new Set(service.hosts.map(suffixOf)), audit);
  if (decision.hasOtherPatterns) {
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
