import { keysAbove, type Overlap } from '../../../domain/services/route.ts';
import type {
  OverlapRequest,
  OverlapSlice,
  PatternPosition,
} from '../../../ports/service-store.ts';
import { query } from '../../units/query.ts';
import { rows, type UnitOfWork } from '../../units/unit-of-work.ts';
import { containing } from './routes.ts';

const selectPatterns = query<PatternPosition & { limit: number }>()((db, parameter) =>
  db
    .selectFrom('service_pattern')
    .select(['key', 'slug', 'pattern', 'verified'])
    .where(({ eb, refTuple, tuple }) =>
      eb(refTuple('key', 'slug'), '>', tuple(parameter.key, parameter.slug)),
    )
    .orderBy('key')
    .orderBy('slug')
    .limit(parameter.limit),
);

const START: PatternPosition = { key: '', slug: '' };

/** Examines the next patterns in the order of their keys, and stops after `limit` overlaps. */
export function* overlapsAfter({
  after,
  examine,
  limit,
}: OverlapRequest): UnitOfWork<OverlapSlice> {
  const patterns = yield* rows(selectPatterns, { ...(after ?? START), limit: examine });
  const found = yield* containing(
    patterns.map((one) => ({ keys: keysAbove(one.key), without: one.slug })),
  );
  const overlaps: Overlap[] = [];
  for (const [index, { key, slug, pattern, verified }] of patterns.entries()) {
    const within = found[index];
    if (within === undefined) continue;
    overlaps.push({ inner: { service: slug, pattern, verified: verified === 1 }, within });
    if (overlaps.length === limit) return { overlaps, next: { key, slug } };
  }
  const last = patterns.length < examine ? undefined : patterns.at(-1);
  return { overlaps, next: last && { key: last.key, slug: last.slug } };
}
