import type { Caller } from '../../domain/accounts/caller.ts';
import { Problem } from '../../domain/problem.ts';
import type { Service } from '../../domain/services/service.ts';
import type { Delivery, DeliveryPage } from '../../ports/deliveries.ts';
import type { MailDestination } from '../../ports/mail-store.ts';
import { type Dependencies, newId } from '../dependencies.ts';
import { requireOwner, requireOwnerOrAdmin } from '../permission.ts';

type MailDependencies = Pick<Dependencies, 'store' | 'now'>;

/** How services get their reports by mail, by slug; for administrators. */
export async function mailOfServices({
  store,
}: Pick<Dependencies, 'store'>): Promise<ReadonlyMap<string, MailDestination>> {
  return new Map((await store.mail.list()).map((mail) => [mail.service, mail]));
}

/** The destination of a service, for administrators. */
export function mailOfService(
  { store }: Pick<Dependencies, 'store'>,
  slug: string,
): Promise<MailDestination | undefined> {
  return store.mail.find(slug);
}

/** Where an owner's service gets its reports by mail, if anywhere. */
export async function showMail(
  { store }: MailDependencies,
  caller: Caller,
  service: Service,
): Promise<MailDestination | undefined> {
  requireOwner(caller, service);
  return await store.mail.find(service.slug);
}

/** Lists sent, pending and failed mails, newest first; one for each report of a digest. */
export async function listMailDeliveries(
  { store }: MailDependencies,
  caller: Caller,
  service: Service,
  page: DeliveryPage,
): Promise<{ readonly deliveries: readonly Delivery[]; readonly hasMore: boolean }> {
  requireOwner(caller, service);
  // The extra row shows whether there are more.
  const found = await store.mail.deliveries(service.slug, { ...page, limit: page.limit + 1 });
  if (found === 'absent') throw new Problem('no_mail');
  return { deliveries: found.slice(0, page.limit), hasMore: found.length > page.limit };
}

/** Queues a mail once more, with the same Message-ID and with any outcome. */
export async function replayMail(
  deps: MailDependencies & { wakeDeliveries(): void },
  caller: Caller,
  service: Service,
  delivery: string,
): Promise<void> {
  requireOwner(caller, service);
  const outcome = await deps.store.mail.replay(service.slug, delivery, deps.now());
  if (outcome === 'absent') throw new Problem('no_mail');
  if (outcome === 'absent-delivery') throw new Problem('unknown_mail');
  deps.wakeDeliveries();
}

/**
 * Queues a mail without a report. Administrators may do so too, since they set the address. Returns
 * the id of its delivery.
 */
export async function testMail(
  deps: MailDependencies &
    Pick<Dependencies, 'sendsMail' | 'randomBytes'> & { wakeDeliveries(): void },
  caller: Caller,
  service: Service,
): Promise<string> {
  requireOwnerOrAdmin(caller, service);
  const id = newId(deps);
  if (!deps.sendsMail) throw new Problem('mail_not_configured');
  if ((await deps.store.mail.test(service.slug, id, deps.now())) === 'absent')
    throw new Problem('no_mail');
  deps.wakeDeliveries();
  return id;
}
