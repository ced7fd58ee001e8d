import type { AuditContext } from '../../../ports/audit-context.ts';
import type { MailChange } from '../../../ports/service-store.ts';
import { countEnabled, markRemoved } from '../../tables/deliveries/destinations.ts';
import { addMail, changeMail, findMail } from '../../tables/mail/mail.ts';
import { rows, type UnitOfWork } from '../../units/unit-of-work.ts';

/** Part of a change of the service, whose feed is locked. */
export function* setMail(
  service: { readonly id: number; readonly slug: string },
  { id, settings }: MailChange,
  audit: AuditContext,
): UnitOfWork<void> {
  const found = yield* findMail(service.slug);
  if (settings === undefined) {
    if (found !== undefined) yield* rows(markRemoved, { id: found.id, at: audit.at.toISOString() });
  } else if (found === undefined) {
    yield* addMail({ id, serviceId: service.id }, settings, audit);
  } else {
    yield* changeMail(found.id, settings);
  }
  yield* rows(countEnabled, { serviceId: service.id });
}
