import { suffixOf } from '../../../domain/ownership/challenge.ts';
import { patternsOf } from '../../../domain/services/route.ts';
import type { Service } from '../../../domain/services/service.ts';
import { verifiedSuffixes } from '../../tables/ownership/claims.ts';
import { changeLengths } from '../../tables/services/network-lengths.ts';
import { deletePatterns, insertPattern } from '../../tables/services/service-patterns.ts';
import { each, rows, type UnitOfWork } from '../../units/unit-of-work.ts';

type Declared = Pick<Service, 'slug' | 'hosts' | 'networks'>;

/** Replaces the patterns of a service. Those whose host it has proven are marked as verified. */
export function* putPatterns(service: Declared): UnitOfWork<void> {
  const { slug } = service;
  const proven = yield* verifiedSuffixes(slug);
  const deleted = yield* rows(deletePatterns, { slug });
  const patterns = patternsOf(service);
  yield* each(
    insertPattern,
    patterns.map(({ key, pattern }) => ({
      key,
      slug,
      pattern,
      verified: proven.has(suffixOf(pattern)) ? 1 : 0,
    })),
  );
  yield* changeLengths({ added: patterns, deleted });
}
