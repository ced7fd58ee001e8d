import type { MailSettings } from '../../domain/mail/mail-settings.ts';
import { Problem } from '../../domain/problem.ts';
import type { MailChange, ServiceChanges } from '../../ports/service-store.ts';
import { type Dependencies, newId } from '../dependencies.ts';

/** The members of a service that administrators set. */
export interface ServiceMembers extends Omit<ServiceChanges, 'mail'> {
  /** `null`: no mail. `delivery` is `each` by default. */
  readonly mail?: MailRequest | null | undefined;
}

export interface MailRequest extends Pick<MailSettings, 'to'> {
  readonly format?: MailSettings['format'] | undefined;
  readonly delivery?: MailSettings['delivery'] | undefined;
}

/**
 * Only administrators choose the address: with it, the owner of a feed could mail anyone. An
 * address that nothing would be sent to is refused.
 */
export function mailChangeOf(
  deps: Pick<Dependencies, 'sendsMail' | 'now' | 'randomBytes'>,
  request: MailRequest | null | undefined,
): MailChange | undefined {
  if (request === undefined) return undefined;
  if (request !== null && !deps.sendsMail) throw new Problem('mail_not_configured');
  const settings =
    request === null
      ? undefined
      : {
          to: request.to,
          format: request.format ?? 'xarf',
          delivery: request.delivery ?? 'each',
        };
  return { id: newId(deps), settings };
}
