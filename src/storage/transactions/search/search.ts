import type { SearchInput } from '../../../domain/search-query.ts';
import type { SearchAnswer, SearchHit, SearchQuery } from '../../../ports/search-store.ts';
import type { Serializers } from '../../../ports/store.ts';
import { samplesOfC2 } from '../../tables/samples/sample-c2s.ts';
import type { Bounded } from '../../units/bounded.ts';
import type { UnitOfWork } from '../../units/unit-of-work.ts';
import { findByPart } from './search-hash-parts.ts';
import { exactReports, type FoundReport, partialReports, reportsOfFile } from './search-reports.ts';
import { type FoundSample, sampleByHash, samplesByWords, samplesOf } from './search-samples.ts';

/** Exact matches, then partial ones, each newest first and without duplicates. */
export function* search(
  { input, limit }: SearchQuery,
  serializers: Serializers,
): UnitOfWork<SearchAnswer> {
  // One more than wanted shows whether there are more.
  const { found, isBounded } = yield* find({ input, limit: limit + 1 }, serializers);
  return { hits: found.slice(0, limit), hasMore: isBounded || found.length > limit };
}

function* find(
  { input, limit }: SearchQuery,
  serializers: Serializers,
): UnitOfWork<Bounded<SearchHit>> {
  if (input.hash !== undefined)
    return { found: yield* byHash(input.hash, limit, serializers), isBounded: false };
  const samples = yield* samplesByWords(input);
  // Twice as many, because exact matches are removed from the partial ones.
  const ofC2 = yield* samplesOfC2(input, 2 * limit);
  const exact = newestFirst(
    yield* exactReports(input, limit),
    distinct([
      ...(yield* samplesOf(ofC2.exact)),
      ...samples.found.filter(({ match }) => match !== 'text'),
    ]),
  );
  if (exact.length >= limit) return { found: exact, isBounded: true };
  const byPart = yield* findByPart(input.hashPart, limit);
  const reports = yield* partialReports(input, limit);
  const partial = newestFirst(
    reports.found,
    distinct([
      ...(yield* samplesOf(ofC2.partial)),
      ...samples.found.filter(({ match }) => match === 'text'),
    ]),
  );
  return {
    found: firstOfEach([...exact, ...newestFirst(byPart.reports, byPart.samples), ...partial]),
    isBounded: [samples, ofC2, byPart, reports].some((one) => one.isBounded),
  };
}

function firstOfEach(hits: readonly SearchHit[]): readonly SearchHit[] {
  const seen = new Set<string>();
  return hits.filter((hit) => seen.size < seen.add(keyOf(hit)).size);
}

/** The file and its reports. Without an analysis, its reports are found by the SHA-256 only. */
function* byHash(
  hash: NonNullable<SearchInput['hash']>,
  limit: number,
  serializers: Serializers,
): UnitOfWork<readonly SearchHit[]> {
  const sample = yield* sampleByHash(hash, serializers);
  const reports: FoundReport[] = [];
  if (hash.kinds.includes('sha256'))
    reports.push(...(yield* reportsOfFile(hash.hex, 'sha256', limit)));
  // 64 digits may be the SHA-256 of one file and the BLAKE3 of another; both are returned.
  if (sample !== undefined && sample.sha256 !== hash.hex)
    reports.push(...(yield* reportsOfFile(sample.sha256, sample.match, limit)));
  return [...newestFirst([], sample === undefined ? [] : [sample]), ...newestFirst(reports, [])];
}

/** Keeps the first match of each sample. */
function distinct(samples: readonly FoundSample[]): readonly FoundSample[] {
  const first = new Map<string, FoundSample>();
  for (const sample of samples) if (!first.has(sample.sha256)) first.set(sample.sha256, sample);
  return [...first.values()];
}

function newestFirst(
  reports: readonly FoundReport[],
  samples: readonly FoundSample[],
): readonly SearchHit[] {
  const hits = [
    ...reports.map((found) => ({
      at: found.report.reportedAt.toISOString(),
      hit: { kind: 'report', ...found } as const,
    })),
    ...samples.map(({ at, family: _, ...found }) => ({
      at,
      hit: { kind: 'sample', ...found } as const,
    })),
  ];
  return hits.sort((one, other) => compare(other.at, one.at)).map(({ hit }) => hit);
}

function compare(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

function keyOf(hit: SearchHit): string {
  return hit.kind === 'report' ? hit.report.id : hit.sha256;
}
