import type { Account, AdministeredService, MailSettings } from '../../../../../src/client/wire.ts';
import { client } from '../../../api/client.ts';
import { changesOf, linesOf, numberOrText } from '../form-values.ts';

/** A service as its form has it. */
export interface ServiceDraft {
  readonly slug: string;
  readonly name: string;
  readonly hosts: string;
  readonly networks: string;
  readonly confidenceScale: string;
  readonly expireAfterDays: string;
  /** Empty: no mail. */
  readonly mailTo: string;
  readonly mailFormat: MailSettings['format'];
  readonly mailDelivery: MailSettings['delivery'];
  readonly owners: readonly string[];
  /** A name that is typed but not added yet; it is saved too. */
  readonly newOwner: string;
}

export function ownersOf(slug: string, accounts: readonly Account[]): readonly string[] {
  return accounts.filter(({ services }) => services.includes(slug)).map(({ name }) => name);
}

export function draftOf(
  service: AdministeredService | undefined,
  owners: readonly string[],
): ServiceDraft {
  return {
    slug: service?.slug ?? '',
    name: service?.name ?? '',
    hosts: (service?.hosts ?? []).join('\n'),
    networks: (service?.networks ?? []).join('\n'),
    confidenceScale: service === undefined ? '' : String(service.confidenceScale),
    expireAfterDays: service === undefined ? '' : String(service.expireAfterDays),
    mailTo: service?.mail?.to ?? '',
    mailFormat: service?.mail?.format ?? 'xarf',
    mailDelivery: service?.mail?.delivery ?? 'each',
    owners,
    newOwner: '',
  };
}

interface Saved {
  /** As it was; `undefined` for a new one. */
  readonly service: AdministeredService | undefined;
  /** The short name of a new one that an earlier attempt has stored. */
  readonly added: string | undefined;
  /** The names of its owners as they were. */
  readonly owners: readonly string[];
  readonly onAdded: (slug: string) => void;
}

/**
 * Saves the service, then the accounts that become or cease to be its owners: the server keeps
 * owners with the accounts. These are read first, so that a mistyped name changes nothing.
 */
export async function saveService(draft: ServiceDraft, saved: Saved): Promise<void> {
  const slug = draft.slug.trim();
  const wanted = [...draft.owners, ...linesOf(draft.newOwner)];
  const { added, removed } = changesOf(saved.owners, wanted);
  const found: Account[] = [];
  for (const name of [...added, ...removed]) found.push((await client.showAccount(name)).account);
  const body = bodyOf(draft, saved.service);
  if (saved.service === undefined && saved.added === undefined) {
    await client.addService({ slug, ...body });
    saved.onAdded(slug);
  } else await client.changeService(slug, body);
  for (const { id, name, services } of found) {
    const others = services.filter((one) => one !== slug);
    const isOwner = added.includes(name);
    await client.changeAccount(id, { services: isOwner ? [...others, slug] : others });
  }
}

function bodyOf(draft: ServiceDraft, service: AdministeredService | undefined) {
  const scale = numberOrText(draft.confidenceScale);
  const days = numberOrText(draft.expireAfterDays);
  const mail = mailOf(draft);
  return {
    ...(draft.name.trim() !== '' && { name: draft.name.trim() }),
    hosts: linesOf(draft.hosts),
    networks: linesOf(draft.networks),
    ...(scale !== undefined && scale !== service?.confidenceScale && { confidenceScale: scale }),
    ...(days !== undefined && { expireAfterDays: days }),
    // Omitted if unchanged: a server without a mail server refuses any address.
    ...(JSON.stringify(mail) !== JSON.stringify(service?.mail ?? null) && { mail }),
  };
}

function mailOf({ mailTo, mailFormat, mailDelivery }: ServiceDraft): MailSettings | null {
  const to = mailTo.trim();
  return to === '' ? null : { to, format: mailFormat, delivery: mailDelivery };
}
