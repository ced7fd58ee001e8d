import type { SignInLink } from '../../operations/accounts/create-link.ts';
import type { DescribedCaller } from '../../operations/accounts/describe-caller.ts';
import type { Token } from '../../ports/store.ts';
import { formatUtc, presentAccount, presentToken } from './present.ts';

export function presentMe({ account, services, session, token }: DescribedCaller) {
  const { disabled: _, ...shown } = presentAccount(account);
  return {
    ...shown,
    services: services.map(({ slug, name }) => ({ slug, name })),
    session: session ? presentOwnSession(session) : null,
    token: token ? presentOwnToken(token) : null,
    successful: true as const,
  };
}

function presentOwnSession({
  via,
  expiresAt,
  feedPosition,
}: NonNullable<DescribedCaller['session']>) {
  return { via, expiresAt: formatUtc(expiresAt), feedPosition };
}

function presentOwnToken(token: Token) {
  const { id, label, hint, expiresAt, lastUsedAt } = presentToken(token);
  return { id, label, hint, expiresAt, lastUsedAt };
}

export function presentLink({ url, expiresAt }: SignInLink) {
  return { link: url, expiresAt: formatUtc(expiresAt), successful: true as const };
}
