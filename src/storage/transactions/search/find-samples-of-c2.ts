import type { C2Sample, HostOrC2 } from '../../../ports/search-store.ts';
import { samplesNaming } from '../../tables/samples/sample-c2s.ts';
import type { UnitOfWork } from '../../units/unit-of-work.ts';
import { samplesOf } from './search-samples.ts';

/** The samples whose configuration names the address, newest first. */
export function* samplesOfAddress(
  address: HostOrC2,
  limit: number,
): UnitOfWork<readonly C2Sample[]> {
  const ids = yield* samplesNaming(address, limit);
  const found = yield* samplesOf(new Map(ids.map((id) => [id, 'c2' as const])));
  return found.map(({ sha256, fileName, tags, family }) => ({ sha256, fileName, tags, family }));
}
