import type { Kysely } from 'kysely';
import type { MailSettings } from '../../../domain/mail/mail-settings.ts';
import type { MailDestination } from '../../../ports/mail-store.ts';
import type { Tables, WebhookRow } from '../../schema/tables.ts';

/**
 * A destination of mail is a row of `webhook` with a `mail_format` and the URL `mailto:<address>`,
 * because deliveries refer to `webhook`. It has no owner and no secret.
 */
const MAILTO = 'mailto:';

/** With the columns that `fromMailRow` reads. Removed destinations are included. */
export function selectMail(db: Kysely<Tables>) {
  return db
    .selectFrom('webhook')
    .innerJoin('service', 'service.id', 'webhook.service_id')
    .selectAll('webhook')
    .select('service.slug')
    .where('webhook.mail_format', 'is not', null);
}

export type MailValues = Pick<WebhookRow, 'url' | 'mail_format' | 'mail_delivery'>;

export function toRow({ to, format, delivery }: MailSettings): MailValues {
  return { url: `${MAILTO}${to}`, mail_format: format, mail_delivery: delivery };
}

export function fromMailRow(row: WebhookRow & { readonly slug: string }): MailDestination {
  return {
    id: row.id,
    service: row.slug,
    to: row.url.slice(MAILTO.length),
    // Rows of mail have both.
    format: row.mail_format ?? 'xarf',
    delivery: row.mail_delivery ?? 'each',
    createdAt: new Date(row.created_at),
    failingSince: row.failing_since === null ? undefined : new Date(row.failing_since),
  };
}
