import type { SignInLink } from '../../operations/accounts/create-link.ts';
import type { DescribedCaller } from '../../operations/accounts/describe-caller.ts';
import { formatUtc, presentAccount } from './present.ts';

export function presentMe({ account, services, session }: DescribedCaller) {
  const { disabled: _, ...shown } = presentAccount(account);
  return {
    ...shown,
    services: services.map(({ slug, name }) => ({ slug, name })),
    session: session ? { via: session.via, expiresAt: formatUtc(session.expiresAt) } : null,
    successful: true as const,
  };
}

export function presentLink({ url, expiresAt }: SignInLink) {
  return { link: url, expiresAt: formatUtc(expiresAt), successful: true as const };
}
