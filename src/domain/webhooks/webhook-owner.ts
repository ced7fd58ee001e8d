/** The account on whose behalf a webhook is delivered. */
export interface WebhookOwner {
  readonly accountId: string;
  readonly name: string;
  readonly disabled: boolean;
  readonly expiresAt: Date | undefined;
  readonly ownsFeed: boolean;
}

/** Why nothing is sent to a webhook although it is enabled; `undefined` where it is sent. */
export function suspensionOf(owner: WebhookOwner | undefined, now: Date): string | undefined {
  if (owner === undefined) return 'It has no owner.';
  const { name } = owner;
  if (owner.disabled) return `The account of its owner, ${name}, is disabled.`;
  if (owner.expiresAt !== undefined && owner.expiresAt <= now)
    return `The account of its owner, ${name}, has expired.`;
  return owner.ownsFeed ? undefined : `Its owner, ${name}, does not own this feed any more.`;
}
