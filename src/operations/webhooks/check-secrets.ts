import type { Sealer } from '../../ports/outgoing.ts';
import type { Store } from '../../ports/store.ts';
import type { UnidentifiedSecret, WebhookKey } from '../../ports/webhook-store.ts';

interface SecretDependencies {
  readonly store: { readonly webhooks: Store['webhooks'] };
}

type Opener = Pick<Sealer, 'keyId' | 'open'>;

/** Webhooks whose secret the key of this process does not decrypt. Their deliveries wait. */
export interface UnreadableSecrets {
  /** At most ten. */
  readonly webhooks: readonly WebhookKey[];
  readonly hasMore: boolean;
}

/** One more is enough to know that there are more. */
export const ENOUGH_WEBHOOKS = 11;
const PAGE = 100;
/** The id of no key. */
const NO_KEY = '';

/**
 * Decrypts the secrets whose key is not determined yet, and records the key of those that it
 * decrypts. After the first start of this version there are none but unreadable ones.
 */
export async function identifySecrets(deps: SecretDependencies, opener: Opener): Promise<void> {
  for await (const page of unidentified(deps)) {
    const readable = page.filter((secret) => isReadable(opener, secret));
    if (readable.length > 0) await deps.store.webhooks.identifySecrets(readable, opener.keyId);
  }
}

/** `opener` is `undefined` if there is no key. Changes nothing. */
export async function findUnreadable(
  deps: SecretDependencies,
  opener: Opener | undefined,
): Promise<UnreadableSecrets> {
  const found: WebhookKey[] = [];
  for await (const page of unidentified(deps)) {
    found.push(...page.filter((secret) => !isReadable(opener, secret)));
    if (found.length >= ENOUGH_WEBHOOKS) break;
  }
  found.push(...(await deps.store.webhooks.ofOtherKeys(opener?.keyId ?? NO_KEY, ENOUGH_WEBHOOKS)));
  return toUnreadable(found);
}

export function toUnreadable(found: readonly WebhookKey[]): UnreadableSecrets {
  const shown = found.slice(0, ENOUGH_WEBHOOKS - 1);
  return {
    webhooks: shown.map(({ service, id }) => ({ service, id })),
    hasMore: found.length > shown.length,
  };
}

async function* unidentified({
  store,
}: SecretDependencies): AsyncGenerator<readonly UnidentifiedSecret[]> {
  let after: string | undefined;
  for (;;) {
    const page = await store.webhooks.unidentifiedSecrets(after, PAGE);
    if (page.length === 0) return;
    yield page;
    after = page.at(-1)?.id;
  }
}

function isReadable(opener: Opener | undefined, { sealed, id }: UnidentifiedSecret): boolean {
  return opener?.open(sealed, id) !== undefined;
}
