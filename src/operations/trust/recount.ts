import type { Dependencies } from '../dependencies.ts';

/** Reports that are counted in one transaction, which locks their feeds. */
const SLICE = 500;

export interface RecountStep {
  /** From 0 to 1. */
  readonly share: number;
  /** Reports counted so far. */
  readonly counted: number;
}

/**
 * Counts all reports again, in slices, while others may read and write. A running server may count
 * some of them. Until it is done, statistics are too low. Returns the number of reports that were
 * counted here.
 */
export async function recountStatistics(
  { store }: Pick<Dependencies, 'store'>,
  onStep: (step: RecountStep) => void,
): Promise<number> {
  await store.trust.restartCounting();
  // At least 1: the position after the last report.
  const from = await store.trust.countedFrom();
  let counted = 0;
  for (;;) {
    const slice = await store.feeds.fillStatistics(SLICE);
    counted += slice;
    const position = await store.trust.countedFrom();
    onStep({ share: 1 - position / from, counted });
    if (position === 0) return counted;
  }
}
