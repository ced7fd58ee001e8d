import type { FileHash } from '../../../domain/samples/file-hash.ts';
import {
  compareFuzzyHashes,
  type FuzzyHash,
  parseFuzzyHash,
} from '../../../domain/samples/fuzzy-hash.ts';
import type { SimilarAnswer, SimilarQuery, SimilarSample } from '../../../ports/sample-store.ts';
import type { Serializers } from '../../../ports/store.ts';
import { query, row, rows, type UnitOfWork } from '../../unit-of-work.ts';
import { spendAllOrNone } from '../accounts/quota.ts';
import { jsonArrayAgg, numberRows, parseJsonNumbers, toJsonArray } from '../json-arrays.ts';
import { bodyOf, findSample } from '../samples/sample-rows.ts';
import { isPending } from '../samples/uploads.ts';
import { keysOf } from './fuzzy-index.ts';

const MAX_FOUND = 50;
const MAX_CANDIDATES = 500;
/**
 * Of a gram with more files only the newest are read: it says little, and all would take too long.
 */
const MAX_OF_GRAM = 500;

const selectBySample = query<{ id: number }>()((db, parameter) =>
  db.selectFrom('fuzzy_hash').select('text').where('id', '=', parameter.id),
);

const selectWithGram = query<{ gram: number; limit: number }>()((db, parameter, dialect) =>
  db
    .selectFrom((from) =>
      from
        .selectFrom('gram')
        .select('fuzzy_hash_id as id')
        .where('gram', '=', parameter.gram)
        .orderBy('fuzzy_hash_id', 'desc')
        .limit(parameter.limit)
        .as('newest'),
    )
    .select(({ ref }) => jsonArrayAgg(ref('newest.id'), dialect).as('ids')),
);

const selectCandidates = query<{ ids: string }>()((db, parameter, dialect) =>
  db
    .selectFrom('fuzzy_hash')
    .select(['id', 'text'])
    .where('id', 'in', (from) =>
      from.selectFrom(numberRows(parameter.ids, dialect).as('wanted')).select('wanted.value'),
    ),
);

const selectShown = query<{ id: number }>()((db, parameter) =>
  db
    .selectFrom('fuzzy_hash')
    .innerJoin('sample', 'sample.id', 'fuzzy_hash.id')
    .select(['sample.sha256', 'fuzzy_hash.file_name', 'fuzzy_hash.tags'])
    .where('fuzzy_hash.id', '=', parameter.id),
);

interface SimilarityTarget {
  /** `undefined` if the analysis has no valid fuzzy hash: then nothing is similar. */
  readonly hash: FuzzyHash | undefined;
  /** The file itself, which is left out of the result. */
  readonly sampleId: number | undefined;
}

export function* findSimilar(
  request: SimilarQuery,
  serializers: Serializers,
): UnitOfWork<SimilarAnswer> {
  const { accountId, tokenId, to, now } = request;
  const purchase = { accountId, tokenId, operation: 'similar', units: 1 } as const;
  const { units, balance: quota } = yield* spendAllOrNone(purchase, now);
  if (units === 0) return { served: false, quota, found: undefined, pending: false };
  const target = typeof to === 'object' ? yield* targetOfFile(to, serializers) : targetOfText(to);
  if (target === undefined) {
    const pending = typeof to === 'object' && (yield* isPending(to));
    return { served: true, quota, found: undefined, pending };
  }
  const best = (yield* score(target)).slice(0, Math.min(request.limit, MAX_FOUND));
  const found: SimilarSample[] = [];
  for (const one of best) found.push(...(yield* show(one)));
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
  return { hash: parseFuzzyHash(text ?? ''), sampleId };
}

function targetOfText(text: string | undefined): SimilarityTarget | undefined {
  const hash = parseFuzzyHash(text ?? '');
  return hash && { hash, sampleId: undefined };
}

interface Scored {
  readonly id: number;
  readonly score: number;
}

/** All similar samples, best first, then newest first. */
function* score({ hash, sampleId }: SimilarityTarget): UnitOfWork<readonly Scored[]> {
  if (hash === undefined) return [];
  const ids = toJsonArray(yield* candidatesOf(hash));
  const scored: Scored[] = [];
  for (const { id, text } of yield* rows(selectCandidates, { ids })) {
    const other = id === sampleId ? undefined : parseFuzzyHash(text);
    const score = other === undefined ? 0 : compareFuzzyHashes(hash, other);
    if (score > 0) scored.push({ id, score });
  }
  return scored.sort((a, b) => b.score - a.score || b.id - a.id);
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

function* show({ id, score }: Scored): UnitOfWork<readonly SimilarSample[]> {
  return (yield* rows(selectShown, { id })).map(({ sha256, file_name, tags }) => ({
    sha256: Buffer.from(sha256).toString('hex'),
    score,
    fileName: file_name,
    tags: JSON.parse(tags),
  }));
}
