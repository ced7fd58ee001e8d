/** Who may know how to reach somebody that answers for an address, in the order of precedence. */
export const CONTACT_SOURCES = ['service', 'directory', 'network', 'registrar'] as const;

/** Somebody who answers for an address. */
export interface Contact {
  readonly source: (typeof CONTACT_SOURCES)[number];
  readonly name: string;
  readonly mail?: string;
  /** The URL of a page with a form for reports of abuse. */
  readonly form?: string;
  /** The network by which the address was found, in CIDR notation. */
  readonly range?: string;
  /** The name by which the address was found: itself, or one above it. */
  readonly suffix?: string;
  /** When this was known to be true. */
  readonly checkedAt: Date;
}
