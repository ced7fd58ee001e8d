import type { JoinedContents } from './joined-contents.ts';
import { isMet, type Need } from './needs.ts';
import { MAX_MATCHES_PER_PATTERN, type ScanResult } from './scan-result.ts';

/** The need of a rule. Names are unique within a namespace. */
export interface NamespacedNeed {
  readonly namespace: string;
  readonly rule: string;
  readonly need: Need;
}

/** The patterns of one rule that occur in each content. */
type Occurrences = ReadonlyMap<number, ReadonlySet<string>>;

type MatchedRule = ScanResult['matches'][number];

/** Decides which contents of a joined scan a rule may match. */
export class RuleFilter {
  readonly #needs: ReadonlyMap<string, Need>;
  /** Of rules that may match a content without any of their patterns. */
  readonly #open: readonly Need[];

  constructor(needs: readonly NamespacedNeed[]) {
    this.#needs = new Map(needs.map((one) => [keyOf(one.namespace, one.rule), one.need]));
    this.#open = needs
      .map(({ need }) => need)
      .filter((need) => isMet(need, { hasPattern: () => false }));
  }

  /** Whether every rule needs something. */
  static canFilter(needs: readonly NamespacedNeed[]): boolean {
    const nothing = { hasPattern: () => false, hasBytes: () => false };
    return needs.every(({ need }) => !isMet(need, nothing));
  }

  candidates(joined: JoinedContents, { matches }: ScanResult): readonly boolean[] {
    const { contents } = joined;
    const mayMatch = contents.map((content) =>
      this.#open.some((need) => isMet(need, { hasPattern: () => false, ...bytesOf(content) })),
    );
    for (const match of matches) {
      const need = this.#needs.get(keyOf(match.namespace, match.identifier));
      if (need === undefined) continue;
      for (const [index, names] of occurrencesOf(match, joined))
        mayMatch[index] ||= isMet(need, {
          hasPattern: (name) => names.has(name),
          ...bytesOf(contents[index]),
        });
    }
    return mayMatch;
  }
}

function keyOf(namespace: string, rule: string): string {
  return `${namespace} ${rule}`;
}

function bytesOf(content: Buffer | undefined) {
  return {
    hasBytes: (offset: number, hex: string) =>
      content?.toString('hex', offset, offset + hex.length / 2) === hex,
  };
}

/** A match may begin or end outside of the content that has the rest of it. */
function occurrencesOf({ patterns }: MatchedRule, joined: JoinedContents): Occurrences {
  const found = new Map<number, Set<string>>();
  for (const { identifier, matches } of patterns) {
    // There may be more than are reported.
    const isEverywhere = matches.length >= MAX_MATCHES_PER_PATTERN;
    const indexes = isEverywhere
      ? joined.contents.keys()
      : matches.flatMap(({ offset, length }) => joined.indexesIn(offset, offset + length));
    for (const index of indexes) found.set(index, (found.get(index) ?? new Set()).add(identifier));
  }
  return found;
}
