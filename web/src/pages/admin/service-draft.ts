import type { Account, Service } from '../../../../src/client/wire.ts';
import { client } from '../../api/client.ts';
import { changesOf, linesOf, numberOrText } from './form-values.ts';

/** A service as its form has it. */
export interface ServiceDraft {
  readonly slug: string;
  readonly name: string;
  readonly hosts: string;
  readonly networks: string;
  readonly confidenceScale: string;
  readonly expireAfterDays: string;
  readonly owners: readonly string[];
  /** A name that is typed but not added yet; it is saved too. */
  readonly newOwner: string;
}

export function ownersOf(slug: string, accounts: readonly Account[]): readonly string[] {
  return accounts.filter(({ services }) => services.includes(slug)).map(({ name }) => name);
}

export function draftOf(service: Service | undefined, owners: readonly string[]): ServiceDraft {
  return {
    slug: service?.slug ?? '',
    name: service?.name ?? '',
    hosts: (service?.hosts ?? []).join('\n'),
    networks: (service?.networks ?? []).join('\n'),
    confidenceScale: service === undefined ? '' : String(service.confidenceScale),
    expireAfterDays: service === undefined ? '' : String(service.expireAfterDays),
    owners,
    newOwner: '',
  };
}

/** Saves the service, then the accounts that become or cease to be its owners. */
export async function saveService(
  draft: ServiceDraft,
  service: Service | undefined,
  owners: readonly string[],
): Promise<void> {
  const slug = draft.slug.trim();
  const scale = numberOrText(draft.confidenceScale);
  const days = numberOrText(draft.expireAfterDays);
  const body = {
    ...(draft.name.trim() !== '' && { name: draft.name.trim() }),
    hosts: linesOf(draft.hosts),
    networks: linesOf(draft.networks),
    ...(scale !== undefined && scale !== service?.confidenceScale && { confidenceScale: scale }),
    ...(days !== undefined && { expireAfterDays: days }),
  };
  if (service === undefined) await client.addService({ slug, ...body });
  else await client.changeService(slug, body);
  const { added, removed } = changesOf(owners, [...draft.owners, ...linesOf(draft.newOwner)]);
  for (const name of added) await setOwner(name, slug, true);
  for (const name of removed) await setOwner(name, slug, false);
}

/** The services of the account are read first: they may have changed since the page was loaded. */
async function setOwner(name: string, slug: string, isOwner: boolean): Promise<void> {
  const { account } = await client.showAccount(name);
  const others = account.services.filter((one) => one !== slug);
  await client.changeAccount(account.id, { services: isOwner ? [...others, slug] : others });
}
