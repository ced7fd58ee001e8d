/**
 * Whether the settings in the reported file, or in one of its members, name the C2 of the report.
 * `contradicted`: they name only others, although of the same kind (DNS names or IP addresses), and
 * no dead drop. `unknown` otherwise.
 */
export const CONFIRMATIONS = ['confirmed', 'contradicted', 'unknown'] as const;

export type Confirmation = (typeof CONFIRMATIONS)[number];

/** What the settings of a file and of its members say about a C2. */
export interface C2Evidence {
  /** One of their C2s has this host and this port. */
  readonly isNamed: boolean;
  /** One of their C2s has a host of the same kind: a DNS name or an IP address. */
  readonly hasSameKind: boolean;
  /** They may have further C2s: a dead drop names them, or they have no port. */
  readonly hasMore: boolean;
}

/** `undefined`: the file has no analysis. */
export function confirmationOf(evidence: C2Evidence | undefined): Confirmation {
  if (evidence?.isNamed) return 'confirmed';
  return evidence?.hasSameKind && !evidence.hasMore ? 'contradicted' : 'unknown';
}

/** What the analysis of a file says about a report of the file. */
export interface FileEvidence {
  /** That of the settings that name the C2, else that of the file. */
  readonly family: string | undefined;
  readonly confirmation: Confirmation;
}
