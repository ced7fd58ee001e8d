import type { MailSettings } from '../../../domain/mail/mail-settings.ts';
import type { AuditContext } from '../../../ports/audit-context.ts';
import type { MailDestination } from '../../../ports/mail-store.ts';
import type { WebhookRow } from '../../schema/tables.ts';
import { all, query } from '../../units/query.ts';
import { row, rows, type UnitOfWork } from '../../units/unit-of-work.ts';
import { fromMailRow, type MailValues, selectMail, toRow } from './mail-rows.ts';

const selectOfService = query<{ service: string }>()((db, parameter) =>
  selectMail(db)
    .where('service.slug', '=', parameter.service)
    .where('webhook.removed_at', 'is', null),
);

const selectAll = query()((db) => selectMail(db).where('webhook.removed_at', 'is', null));

/** With the columns of the service that a mail contains. */
export const selectDestination = query<{ id: string }>()((db, parameter) =>
  selectMail(db)
    .select(['service.name', 'service.confidence_scale'])
    .where('webhook.id', '=', parameter.id),
);

const COLUMNS = [
  'id',
  'service_id',
  'url',
  'events',
  'format',
  'created_by',
  'created_at',
  'mail_format',
  'mail_delivery',
] as const satisfies readonly (keyof WebhookRow)[];

const insertRow = query<Pick<WebhookRow, (typeof COLUMNS)[number]>>()((db, parameter) =>
  db.insertInto('webhook').values(all(parameter, COLUMNS)),
);

const updateRow = query<MailValues & { id: string }>()((db, parameter) =>
  db
    .updateTable('webhook')
    .set({
      ...all(parameter, ['url', 'mail_format', 'mail_delivery']),
      failing_since: null,
      failing_delivery: null,
      paused_until: null,
    })
    .where('id', '=', parameter.id),
);

export function* findMail(service: string): UnitOfWork<MailDestination | undefined> {
  const found = yield* row(selectOfService, { service });
  return found && fromMailRow(found);
}

export function* listMail(): UnitOfWork<readonly MailDestination[]> {
  return (yield* rows(selectAll, {})).map(fromMailRow);
}

export function* addMail(
  { id, serviceId }: { readonly id: string; readonly serviceId: number },
  settings: MailSettings,
  audit: AuditContext,
): UnitOfWork<void> {
  yield* rows(insertRow, {
    id,
    service_id: serviceId,
    events: JSON.stringify(['report.created']),
    // Not null in the table; mail does not use it.
    format: 'report',
    created_by: audit.actor,
    created_at: audit.at.toISOString(),
    ...toRow(settings),
  });
}

/** Deliveries that are pending go to the new address. */
export function* changeMail(id: string, settings: MailSettings): UnitOfWork<void> {
  yield* rows(updateRow, { id, ...toRow(settings) });
}
