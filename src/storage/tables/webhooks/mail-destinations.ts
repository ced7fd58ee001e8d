import type { MailSettings } from '../../../domain/mail/mail-settings.ts';
import type { AuditContext } from '../../../ports/audit-context.ts';
import type { MailDestination } from '../../../ports/mail-store.ts';
import type { MailChange } from '../../../ports/service-store.ts';
import type { WebhookRow } from '../../schema/tables.ts';
import { all, query } from '../../units/query.ts';
import { row, rows, type UnitOfWork } from '../../units/unit-of-work.ts';
import { COLUMNS, type WebhookValues } from './webhook-rows.ts';
import { countEnabled, markRemoved } from './webhooks.ts';

const MAILTO = 'mailto:';

const selectMail = query<{ service: string }>()((db, parameter) =>
  db
    .selectFrom('webhook')
    .innerJoin('service', 'service.id', 'webhook.service_id')
    .selectAll('webhook')
    .select('service.slug')
    .where('service.slug', '=', parameter.service)
    .where('webhook.mail_format', 'is not', null)
    .where('webhook.removed_at', 'is', null),
);

const selectAllMail = query()((db) =>
  db
    .selectFrom('webhook')
    .innerJoin('service', 'service.id', 'webhook.service_id')
    .selectAll('webhook')
    .select('service.slug')
    .where('webhook.mail_format', 'is not', null)
    .where('webhook.removed_at', 'is', null),
);

type MailValues = Pick<WebhookRow, 'url' | 'mail_format' | 'mail_delivery'>;

const insertMail = query<WebhookValues & MailValues>()((db, parameter) =>
  db.insertInto('webhook').values(all(parameter, [...COLUMNS, 'mail_format', 'mail_delivery'])),
);

/** Deliveries that are pending go to the new address. */
const updateMail = query<MailValues & { id: string }>()((db, parameter) =>
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

/** Part of a change of the service, whose feed is locked. */
export function* setMail(
  service: { readonly id: number; readonly slug: string },
  { id, settings }: MailChange,
  audit: AuditContext,
): UnitOfWork<void> {
  const found = yield* row(selectMail, { service: service.slug });
  const at = audit.at.toISOString();
  if (settings === undefined) {
    if (found !== undefined) yield* rows(markRemoved, { id: found.id, at });
  } else if (found === undefined) {
    yield* rows(insertMail, {
      id,
      service_id: service.id,
      events: JSON.stringify(['report.created']),
      format: 'report',
      created_by: audit.actor,
      account_id: null,
      created_at: at,
      ...valuesOf(settings),
    });
  } else {
    yield* rows(updateMail, { id: found.id, ...valuesOf(settings) });
  }
  yield* rows(countEnabled, { serviceId: service.id });
}

function valuesOf({ to, format, delivery }: MailSettings): MailValues {
  return { url: `${MAILTO}${to}`, mail_format: format, mail_delivery: delivery };
}

export function* findMail(service: string): UnitOfWork<MailDestination | undefined> {
  const found = yield* row(selectMail, { service });
  return found && fromMailRow(found);
}

export function* listMail(): UnitOfWork<readonly MailDestination[]> {
  return (yield* rows(selectAllMail, {})).map(fromMailRow);
}

export function fromMailRow(found: WebhookRow & { readonly slug: string }): MailDestination {
  return {
    id: found.id,
    service: found.slug,
    to: found.url.slice(MAILTO.length),
    // Rows of mail have both.
    format: found.mail_format ?? 'xarf',
    delivery: found.mail_delivery ?? 'each',
    createdAt: new Date(found.created_at),
    failingSince: found.failing_since === null ? undefined : new Date(found.failing_since),
  };
}

export const selectDestination = query<{ id: string }>()((db, parameter) =>
  db
    .selectFrom('webhook')
    .innerJoin('service', 'service.id', 'webhook.service_id')
    .selectAll('webhook')
    .select(['service.slug', 'service.name', 'service.confidence_scale'])
    .where('webhook.id', '=', parameter.id),
);
