/** What an administrator changes about a webhook of any owner. */
export interface WebhookChanges {
  readonly disabled?: boolean | undefined;
  /** The id or the name of an account that owns the feed. */
  readonly owner?: string | undefined;
}

interface Administration {
  readonly changes: WebhookChanges;
  /** The service of the webhook. */
  readonly service: string;
  /** The account that `changes.owner` names, if it exists. */
  readonly owner: { readonly id: string; readonly services: readonly string[] } | undefined;
  readonly administrator: string;
}

export interface WebhookDecision {
  readonly ownerId: string | undefined;
  /** Why it is disabled, `enable`, or `undefined` if that stays. */
  readonly state: { readonly disabled: string } | 'enable' | undefined;
}

/** Deliveries are sent on behalf of the owner, who must be one of the feed. */
export function decideAdministration({
  changes,
  service,
  owner,
  administrator,
}: Administration): WebhookDecision | 'unknown-account' | 'not-owner' {
  if (changes.owner !== undefined && owner === undefined) return 'unknown-account';
  if (owner !== undefined && !owner.services.includes(service)) return 'not-owner';
  return { ownerId: owner?.id, state: stateOf(changes, administrator) };
}

function stateOf({ disabled }: WebhookChanges, administrator: string): WebhookDecision['state'] {
  if (disabled === undefined) return undefined;
  return disabled ? { disabled: `An administrator, ${administrator}, disabled it.` } : 'enable';
}
