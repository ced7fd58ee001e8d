import type { RelatedToAddress } from '../../../../../src/client/wire.ts';

/** Another C2 in the settings of files that name the address. */
export interface SiblingC2 {
  readonly c2: string;
  readonly families: readonly string[];
  /** Of the files that were read. */
  readonly files: number;
}

export interface Siblings {
  /** Those of the most files first. */
  readonly c2s: readonly SiblingC2[];
  /** Whether there are more, or may be. */
  readonly hasMore: boolean;
}

/** Whether the C2 is the address itself: the same C2, or a C2 of the same host. */
export function isOwn({ c2, host }: RelatedToAddress, other: string): boolean {
  return c2 === undefined ? hostOf(other) === host : other === c2;
}

/** The host of `host:port`. */
function hostOf(c2: string): string {
  return c2.slice(0, c2.lastIndexOf(':')).replace(/^\[|\]$/g, '');
}

export function siblingsOf(related: RelatedToAddress): Siblings {
  const { newest, hasMore } = related.files;
  const named = newest.flatMap(({ c2s }) => c2s.filter(({ c2 }) => !isOwn(related, c2)));
  const c2s = [...Map.groupBy(named, ({ c2 }) => c2)].map(([c2, of]) => ({
    c2,
    families: [...new Set(of.flatMap(({ family }) => family ?? []))],
    files: of.length,
  }));
  return {
    c2s: c2s.toSorted((one, other) => other.files - one.files),
    hasMore: hasMore || newest.some(({ hasMoreC2s }) => hasMoreC2s),
  };
}
