import type { C2Address } from '../../../domain/reports/c2-address.ts';
import type { NamedC2 } from '../../../ports/sample-store.ts';
import type { UnitOfWork } from '../../unit-of-work.ts';
import { namesC2 } from './sample-c2s.ts';
import { familiesBySha256, findSizedAnalyses } from './sample-rows.ts';

/** Whether the configuration of a file names a C2; `undefined` if it is not known or has none. */
export function* findNamedC2(sha256: string, c2: C2Address): UnitOfWork<NamedC2 | undefined> {
  const [sample] = yield* findSizedAnalyses([{ hex: sha256, kinds: ['sha256'] }]);
  if (sample === undefined) return undefined;
  const isNamed = yield* namesC2(sample.sampleId, c2);
  if (isNamed === undefined) return undefined;
  return { isNamed, family: (yield* familiesBySha256([sha256])).get(sha256) };
}
