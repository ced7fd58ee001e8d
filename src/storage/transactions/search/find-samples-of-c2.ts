import { familyOfC2 } from '../../../domain/samples/analysis-report.ts';
import type { C2Samples, HostOrC2 } from '../../../ports/search-store.ts';
import { samplesNaming } from '../../tables/samples/sample-c2s.ts';
import type { UnitOfWork } from '../../units/unit-of-work.ts';
import { samplesById } from './search-samples.ts';

/** The samples whose configuration names the address, newest first. */
export function* samplesOfAddress(address: HostOrC2, limit: number): UnitOfWork<C2Samples> {
  const read = yield* samplesNaming(address, limit + 1);
  // The first settings of a sample that name it count: they come last.
  const families = new Map(
    read.slice(0, limit).map(({ sampleId, family }) => [sampleId, family ?? undefined]),
  );
  const found = yield* samplesById([...families.keys()]);
  return {
    samples: [...found].map(([id, { sha256, fileName, tags, family }]) => ({
      sha256,
      fileName,
      tags,
      family: familyOfC2(families.get(id), family),
    })),
    hasMore: read.length > limit,
  };
}
