import { hasValues, type Settings } from './settings.ts';

/**
 * How the results for a file differ.
 *
 * - `unread`: the other parser reads nothing from a file that the engine reads
 * - `refused`: the engine reads nothing from a file that the other parser reads
 * - `missing`: the other parser lacks a setting
 * - `extra`: the engine lacks a setting
 * - `different`: both have it, with other values
 */
export type DifferenceKind = 'unread' | 'refused' | 'missing' | 'extra' | 'different';

export interface Difference {
  readonly kind: DifferenceKind;
  /** Absent for `unread` and `refused`, which are about the whole file. */
  readonly field?: string;
  readonly own: readonly string[];
  readonly theirs: readonly string[];
}

export interface Comparison {
  readonly parser: string;
  readonly family: string;
  readonly fixture: string;
  /** Settings that both have, with the same values. */
  readonly agreed: readonly string[];
  readonly differences: readonly Difference[];
}

/** Compares the settings that the other parser knows. Order and repetitions do not count. */
export function compareSettings(
  own: Settings,
  theirs: Settings | undefined,
): Pick<Comparison, 'agreed' | 'differences'> {
  const doesRead = theirs !== undefined && hasValues(theirs);
  const nothing = { own: [], theirs: [] };
  if (!doesRead && !hasValues(own)) return { agreed: [], differences: [] };
  if (!doesRead) return { agreed: [], differences: [{ kind: 'unread', ...nothing }] };
  if (!hasValues(own)) return { agreed: [], differences: [{ kind: 'refused', ...nothing }] };
  const agreed: string[] = [];
  const differences: Difference[] = [];
  for (const [field, values] of Object.entries(theirs)) {
    const pair = { own: distinct(own[field] ?? []), theirs: distinct(values) };
    if (pair.own.length === 0 && pair.theirs.length === 0) continue;
    const kind = kindOf(pair.own, pair.theirs);
    if (kind === undefined) agreed.push(field);
    else differences.push({ kind, field, ...pair });
  }
  return { agreed, differences };
}

function distinct(values: readonly string[]): readonly string[] {
  return [...new Set(values)].toSorted();
}

function kindOf(own: readonly string[], theirs: readonly string[]): DifferenceKind | undefined {
  if (theirs.length === 0) return 'missing';
  if (own.length === 0) return 'extra';
  const isEqual = own.length === theirs.length && own.every((value, at) => value === theirs[at]);
  return isEqual ? undefined : 'different';
}

/** Differences that are known, and why they are no defect. */
export interface Exception {
  readonly parser: string;
  readonly fixtures: readonly string[];
  readonly kind: DifferenceKind;
  /** Absent for the whole file. */
  readonly fields?: readonly string[];
  readonly reason: string;
}

export interface CheckedComparisons {
  /** Comparisons with the differences that no exception lists. */
  readonly unexplained: readonly Comparison[];
  /** Exceptions, in words, that no longer occur. */
  readonly stale: readonly string[];
}

/** Exceptions of parsers that were not run cannot be stale. */
export function checkExceptions(
  comparisons: readonly Comparison[],
  exceptions: readonly Exception[],
): CheckedComparisons {
  const parsers = new Set(comparisons.map(({ parser }) => parser));
  const expected = new Set(
    exceptions.filter(({ parser }) => parsers.has(parser)).flatMap(occurrences),
  );
  const occurring = new Set<string>();
  const unexplained = comparisons.flatMap((comparison) => {
    const differences = comparison.differences.filter(({ kind, field }) => {
      const name = occurrence({ ...comparison, kind, field });
      occurring.add(name);
      return !expected.has(name);
    });
    return differences.length === 0 ? [] : [{ ...comparison, differences }];
  });
  return { unexplained, stale: [...expected].filter((name) => !occurring.has(name)) };
}

function occurrences({ parser, fixtures, kind, fields }: Exception): readonly string[] {
  return fixtures.flatMap((fixture) =>
    (fields ?? [undefined]).map((field) => occurrence({ parser, fixture, kind, field })),
  );
}

interface Occurrence {
  readonly parser: string;
  readonly fixture: string;
  readonly kind: DifferenceKind;
  readonly field: string | undefined;
}

function occurrence({ parser, fixture, kind, field = 'the file' }: Occurrence): string {
  return `${parser}, ${fixture}, ${field}: ${kind}`;
}
