import { z } from 'zod';
import { MAIL_DELIVERIES, MAIL_FORMATS } from '../../../domain/mail/mail-settings.ts';
import { DELIVERY_STATES } from '../../requests/webhook-fields.ts';
import { list, slug, utc, utcOrNull, uuid } from '../schemas.ts';

const successful = z.literal(true);

const settings = {
  to: z.string().meta({ description: 'A mail address' }),
  format: z.enum(MAIL_FORMATS),
  delivery: z.enum(MAIL_DELIVERIES).meta({
    description: '`each`: a mail for each report; `daily`: one after each UTC day',
  }),
};

export const mailSettings = z
  .strictObject(settings)
  .meta({ id: 'MailSettings', description: 'How a service gets its new reports by mail' });

export const mailShown = z
  .strictObject({
    mail: z
      .strictObject({
        ...settings,
        service: slug,
        createdAt: utc,
        failingSince: utcOrNull.meta({ description: 'Since when every attempt has failed' }),
      })
      .meta({ id: 'Mail', description: 'Where a service gets its new reports by mail' })
      .nullable()
      .meta({ description: 'null: it gets no mail' }),
    successful,
  })
  .meta({ id: 'ShownMail', description: 'The mail settings of the service' });

const mailDelivery = z
  .strictObject({
    id: uuid,
    sequence: z
      .int()
      .min(0)
      .meta({ description: 'The number of the report in its feed; 0 for a test' }),
    reportId: uuid.nullable().meta({ description: 'null for a test' }),
    state: z.enum(DELIVERY_STATES),
    attempts: z.int().min(0),
    nextAttemptAt: utcOrNull.meta({ description: 'null once it is delivered or dead' }),
    lastStatus: z.int().nullable().meta({ description: 'The last code of the mail server' }),
    lastError: z.string().nullable(),
    createdAt: utc,
    finishedAt: utcOrNull,
  })
  .meta({ id: 'DeliveryByMail', description: 'The delivery of one report, or of a test, by mail' });

export const mailDeliveryList = z
  .strictObject({ deliveries: list(mailDelivery), hasMore: z.boolean(), successful })
  .meta({ id: 'MailDeliveryList', description: 'Deliveries by mail, newest first' });
