/** The account on whose behalf a webhook is delivered. */
export interface WebhookOwner {
  readonly accountId: string;
  readonly name: string;
  readonly disabled: boolean;
  readonly expiresAt: Date | undefined;
  readonly ownsFeed: boolean;
}

/** Why an enabled webhook gets no deliveries; `undefined` if it gets them. */
export function suspensionOf(owner: WebhookOwner | undefined, now: Date): string | undefined {
  if (owner === undefined) return 'It has no owner.';
  const { name } = owner;
  if (owner.disabled) return `The account of its owner, ${name}, is disabled.`;
  if (owner.expiresAt !== undefined && owner.expiresAt <= now)
    return `The account of its owner, ${name}, has expired.`;
  return owner.ownsFeed ? undefined : `Its owner, ${name}, no longer owns this feed.`;
}

/** Why a delivery may not be queued by hand; `undefined` if it may. */
export function deliveryRefusal(
  webhook: { readonly disabledAt: Date | undefined; readonly owner: WebhookOwner | undefined },
  now: Date,
): 'disabled' | 'suspended' | undefined {
  if (webhook.disabledAt !== undefined) return 'disabled';
  return suspensionOf(webhook.owner, now) === undefined ? undefined : 'suspended';
}
