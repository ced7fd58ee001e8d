/**
 * Whether the configuration in the reported file names the C2 of the report. `unknown` if the file
 * has no analysis made here, or its configuration names no C2.
 */
export const CONFIRMATIONS = ['confirmed', 'contradicted', 'unknown'] as const;

export type Confirmation = (typeof CONFIRMATIONS)[number];

export function confirmationOf(isNamed: boolean | undefined): Confirmation {
  if (isNamed === undefined) return 'unknown';
  return isNamed ? 'confirmed' : 'contradicted';
}
