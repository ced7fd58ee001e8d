import { z } from 'zod';
import {
  MAIL_DELIVERIES,
  MAIL_FORMATS,
  parseMailAddress,
} from '../../domain/mail/mail-settings.ts';
import { parseUuid } from '../../domain/uuid.ts';
import { MAIL_ADDRESS, UUID } from '../openapi/text-formats.ts';
import { field, parsed, strictObject } from './field-rules.ts';
import { serviceParams } from './parameters.ts';

const RULE = `null or {to, format, delivery}: to a mail address, format one of ${MAIL_FORMATS.join(', ')}, delivery one of ${MAIL_DELIVERIES.join(', ')}`;

/** How a service gets its reports by mail. */
export const mailField = field(
  RULE,
  strictObject({
    to: field(
      'one mail address, such as abuse@ply.example',
      parsed(parseMailAddress, MAIL_ADDRESS),
    ),
    format: field(`one of ${MAIL_FORMATS.join(', ')}`, z.enum(MAIL_FORMATS).optional()),
    delivery: field(`one of ${MAIL_DELIVERIES.join(', ')}`, z.enum(MAIL_DELIVERIES).optional()),
  })
    .nullable()
    .optional(),
  {
    details: 'New reports are sent to this address. "xarf" and "each" by default; null ends it',
    example: { to: 'abuse@ply.example', format: 'xarf', delivery: 'each' },
  },
);

export const mailDeliveryParams = serviceParams.extend({
  delivery: field('the id of a delivery (a UUID)', parsed(parseUuid, UUID)),
});
