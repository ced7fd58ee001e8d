import type { FileHash } from '../../../domain/samples/file-hash.ts';
import {
  compareFuzzyHashes,
  type FuzzyHash,
  parseFuzzyHash,
} from '../../../domain/samples/fuzzy-hash.ts';
import { parseTlsh, type Tlsh, tlshDistance } from '../../../domain/samples/tlsh.ts';
import type {
  SimilarAnswer,
  SimilarityMeasure,
  SimilarQuery,
  SimilarSample,
} from '../../../ports/sample-store.ts';
import type { Serializers } from '../../../ports/store.ts';
import { spendAllOrNone } from '../../tables/accounts/quota.ts';
import { bodyOf, findSample } from '../../tables/samples/sample-rows.ts';
import { isPending } from '../../tables/samples/uploads.ts';
import { keysOf } from '../../tables/search/fuzzy-index.ts';
import {
  selectBySample,
  selectCandidates,
  selectShown,
  selectWithGram,
} from '../../tables/search/similar-candidates.ts';
import { findTlsh, nearestByTlsh } from '../../tables/search/tlsh-index.ts';
import { parseJsonNumbers, toJsonArray } from '../../units/json-arrays.ts';
import { row, rows, type UnitOfWork } from '../../units/unit-of-work.ts';

const MAX_FOUND = 50;

const MAX_CANDIDATES = 500;

/**
 * If a gram has more files, only the newest are read: it says little, and all would take too long.
 */
const MAX_OF_GRAM = 500;

interface SimilarityTarget {
  /** `undefined` if the analysis has no valid fuzzy hash: then nothing is similar by it. */
  readonly ssdeep: FuzzyHash | undefined;
  readonly tlsh: Tlsh | undefined;
  /** The file itself, which is left out of the result. */
  readonly sampleId: number | undefined;
}

export function* findSimilar(
  request: SimilarQuery,
  serializers: Serializers,
): UnitOfWork<SimilarAnswer> {
  const { accountId, tokenId, to, now, by = 'ssdeep' } = request;
  const purchase = { accountId, tokenId, operation: 'similar', units: 1 } as const;
  const { units, balance: quota } = yield* spendAllOrNone(purchase, now);
  if (units === 0) return { served: false, quota, found: undefined, pending: false };
  const target =
    typeof to === 'object' ? yield* targetOfFile(to, serializers) : targetOfText(to, by);
  if (target === undefined) {
    const pending = typeof to === 'object' && (yield* isPending(to));
    return { served: true, quota, found: undefined, pending };
  }
  if (by === 'tlsh' && target.tlsh === undefined)
    return { served: true, quota, found: undefined, pending: false, lacksTlsh: true };
  const ids =
    by === 'ssdeep' ? yield* mostSimilarBySsdeep(target) : yield* mostSimilarByTlsh(target);
  const found: SimilarSample[] = [];
  for (const id of ids.slice(0, Math.min(request.limit, MAX_FOUND)))
    found.push(...(yield* show(id, target)));
  return { served: true, quota, found, pending: false };
}

function* targetOfFile(
  file: FileHash,
  serializers: Serializers,
): UnitOfWork<SimilarityTarget | undefined> {
  const sampleId = yield* findSample(file);
  if (sampleId === undefined) return undefined;
  // An old analysis that is not indexed yet is parsed.
  const text =
    (yield* row(selectBySample, { id: sampleId }))?.text ??
    serializers.readAnalysis?.((yield* bodyOf(sampleId)) ?? '')?.ssdeep;
  return { ssdeep: parseFuzzyHash(text ?? ''), tlsh: yield* findTlsh(sampleId), sampleId };
}

function targetOfText(
  text: string | undefined,
  by: SimilarityMeasure,
): SimilarityTarget | undefined {
  const ssdeep = by === 'ssdeep' ? parseFuzzyHash(text ?? '') : undefined;
  const tlsh = by === 'tlsh' ? parseTlsh(text ?? '') : undefined;
  const isDigest = ssdeep !== undefined || tlsh !== undefined;
  return isDigest ? { ssdeep, tlsh, sampleId: undefined } : undefined;
}

interface Scored {
  readonly id: number;
  readonly score: number;
}

/** All similar samples, best first, then newest first. */
function* mostSimilarBySsdeep({
  ssdeep,
  sampleId,
}: SimilarityTarget): UnitOfWork<readonly number[]> {
  if (ssdeep === undefined) return [];
  const ids = toJsonArray(yield* candidatesOf(ssdeep));
  const scored: Scored[] = [];
  for (const { id, text } of yield* rows(selectCandidates, { ids })) {
    const score = id === sampleId ? 0 : scoreOf(ssdeep, text);
    if (score > 0) scored.push({ id, score });
  }
  return scored.sort((a, b) => b.score - a.score || b.id - a.id).map(({ id }) => id);
}

function* mostSimilarByTlsh({ tlsh, sampleId }: SimilarityTarget): UnitOfWork<readonly number[]> {
  return tlsh === undefined ? [] : yield* nearestByTlsh(tlsh, sampleId);
}

/** Two empty fuzzy hashes are equal, but say nothing. */
function scoreOf(hash: FuzzyHash | undefined, text: string): number {
  const other = parseFuzzyHash(text);
  if (hash === undefined || other === undefined) return 0;
  return hash.first === '' && hash.second === '' ? 0 : compareFuzzyHashes(hash, other);
}

/** The hashes that share the most grams. */
function* candidatesOf(hash: FuzzyHash): UnitOfWork<readonly number[]> {
  const shared = new Map<number, number>();
  for (const gram of keysOf(hash)) {
    const found = yield* row(selectWithGram, { gram, limit: MAX_OF_GRAM });
    for (const id of parseJsonNumbers(found?.ids)) shared.set(id, (shared.get(id) ?? 0) + 1);
  }
  return [...shared]
    .sort(([id, count], [otherId, otherCount]) => otherCount - count || otherId - id)
    .slice(0, MAX_CANDIDATES)
    .map(([id]) => id);
}

function* show(id: number, target: SimilarityTarget): UnitOfWork<readonly SimilarSample[]> {
  return (yield* rows(selectShown, { id })).map(({ sha256, file_name, tags, ssdeep, tlsh }) => {
    const other = parseTlsh(tlsh ?? '');
    return {
      sha256: Buffer.from(sha256).toString('hex'),
      score: scoreOf(target.ssdeep, ssdeep),
      ...(target.tlsh && other && { distance: tlshDistance(target.tlsh, other) }),
      fileName: file_name,
      tags: JSON.parse(tags),
    };
  });
}
