/** The part of the binding's scan result that is used here. */
export interface ScanResult {
  readonly matches: readonly {
    readonly identifier: string;
    readonly namespace: string;
    readonly isPrivate: boolean;
    readonly tags: readonly string[];
    readonly metadata: readonly { readonly identifier: string; readonly value: unknown }[];
    readonly patterns: readonly {
      readonly identifier: string;
      readonly isPrivate: boolean;
      readonly matches: readonly { readonly offset: number; readonly length: number }[];
    }[];
  }[];
}

/**
 * Each match becomes an object: a file of one repeated word would produce millions. Conditions that
 * count matches (`#a > 3`) hold up to this number.
 */
export const MAX_MATCHES_PER_PATTERN = 1000;
