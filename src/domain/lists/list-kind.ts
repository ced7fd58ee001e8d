/**
 * `good`: a host of somebody innocent. `sinkhole`: defenders answer there. Neither is an indicator.
 * `shared`: one of many users of the host may be malicious. `scanner`: a service that scans the
 * Internet.
 */
export const LIST_KINDS = ['good', 'shared', 'sinkhole', 'scanner'] as const;
export type ListKind = (typeof LIST_KINDS)[number];

/** A list that has a host or a file. */
export interface KnownAs {
  readonly list: string;
  readonly kind: ListKind;
}

/** A list whose entries are no indicators. */
export function isProtection({ kind }: KnownAs): boolean {
  return kind === 'good' || kind === 'sinkhole';
}
