/**
 * Names that differ only in the case of ASCII letters are one name: researchers write `xworm`, the
 * analysis `XWORM`. Stored names and tags keep their spelling. Both databases fold these letters.
 */
export function foldName(name: string): string {
  return name.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/** The spelling that our analysis uses. */
export function upperName(name: string): string {
  return name.replace(/[a-z]+/g, (letters) => letters.toUpperCase());
}

interface Counted {
  readonly name: string;
}

/**
 * Adds the counts of the spellings of each name, under the spelling that counts most; of equals,
 * the first in the order of their code units.
 */
export function joinSpellings<Count extends Counted>(
  counts: readonly Count[],
  sizeOf: (count: Count) => number,
  add: (one: Count, other: Count) => Count,
): readonly Count[] {
  const byName = Map.groupBy(counts, ({ name }) => foldName(name));
  return [...byName.values()].map((spellings) => {
    const [first, ...others] = spellings.toSorted(
      (one, other) => sizeOf(other) - sizeOf(one) || (one.name < other.name ? -1 : 1),
    );
    // `groupBy` makes no empty group.
    return others.reduce((sum, other) => ({ ...add(sum, other), name: sum.name }), first as Count);
  });
}
