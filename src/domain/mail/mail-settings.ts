export const MAIL_FORMATS = ['xarf', 'arf'] as const;
/** `xarf`: XARF 4 in a feedback report; `arf`: RFC 5965 for desks without XARF. */
export type MailFormat = (typeof MAIL_FORMATS)[number];

export const MAIL_DELIVERIES = ['each', 'daily'] as const;
/** `each`: one mail for each report; `daily`: the reports of a UTC day together. */
export type MailDelivery = (typeof MAIL_DELIVERIES)[number];

/** How a service gets its new reports by mail. */
export interface MailSettings {
  readonly to: string;
  readonly format: MailFormat;
  readonly delivery: MailDelivery;
}

const ADDRESS =
  /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*@(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)*[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/i;
/** RFC 5321, section 4.5.3.1. */
const MAX_LOCAL_LENGTH = 64;
const MAX_ADDRESS_LENGTH = 254;

/**
 * One address of RFC 5321 without quotes, comments and characters outside of ASCII, so that it can
 * be written into a header and an envelope as it is. The domain becomes lower case.
 */
export function parseMailAddress(text: string): string | undefined {
  if (text.length > MAX_ADDRESS_LENGTH || !ADDRESS.test(text)) return undefined;
  const at = text.lastIndexOf('@');
  const domain = text.slice(at + 1).toLowerCase();
  const isTooLong = domain.split('.').some((label) => label.length > 63);
  return at > MAX_LOCAL_LENGTH || isTooLong ? undefined : `${text.slice(0, at)}@${domain}`;
}

/** When a mail about a report of this time is sent: at once, or after the end of the UTC day. */
export function mailDueAt(delivery: MailDelivery, at: Date): Date {
  if (delivery === 'each') return at;
  return new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate() + 1));
}
