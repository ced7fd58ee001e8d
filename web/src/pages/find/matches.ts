import type { ReportFound } from '../../../../src/client/wire.ts';

type Match = ReportFound['match'];

/** What a match means, in words. */
const NAMES: Readonly<Record<Match, string>> = {
  sha256: 'Same SHA-256',
  sha512: 'Same SHA-512',
  blake3: 'Same BLAKE3',
  sha1: 'Same SHA-1',
  md5: 'Same MD5',
  c2: 'Same address',
  host: 'Same host',
  name: 'Same name or family',
  tag: 'Same tag',
  reporter: 'Reported by this account',
  prefix: 'A hash that starts so',
  network: 'In this network',
  suffix: 'Subdomains',
  text: 'Words in common',
};

export function nameOfMatch(match: Match): string {
  return NAMES[match];
}

export interface MatchGroup<Found> {
  readonly match: Match;
  readonly name: string;
  readonly found: readonly Found[];
}

/** The results by what matched, in the order of the server: exact matches first. */
export function groupByMatch<Found extends { readonly match: Match }>(
  results: readonly Found[],
): readonly MatchGroup<Found>[] {
  return [...Map.groupBy(results, ({ match }) => match)].map(([match, found]) => ({
    match,
    name: NAMES[match],
    found,
  }));
}
