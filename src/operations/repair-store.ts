import type { Dependencies } from './dependencies.ts';
import { type CheckName, type CheckResult, examinePart } from './examine-store.ts';
import { recountStatistics } from './trust/recount.ts';

/** The reports of one transaction, which locks their feeds. */
const PAGE = 200;

export interface Repairs {
  /** Reports whose newest version did not reach readers in the order of publication, like TAXII. */
  readonly published: number;
  /** Reports counted again; `undefined` if the statistics were right. */
  readonly counted: number | undefined;
}

type Repairing = Pick<Dependencies, 'store' | 'now'>;
type OnStep = (examined: number) => void;

/** Counts what `repairStore` would do about failed checks. Changes nothing. */
export async function findRepairs(
  { store: { published } }: Repairing,
  failed: readonly CheckResult[],
): Promise<{ readonly published: number; readonly recounts: boolean }> {
  const has = (name: CheckName) => failed.some((check) => check.name === name);
  return {
    published: has('order of publication')
      ? await overAll((after) => published.countUnpublished(after, PAGE))
      : 0,
    recounts: has('statistics of feeds'),
  };
}

/**
 * Repairs what nodes of an older version leave behind that ran beside newer ones, in pages, while
 * others may read and write.
 */
export async function repairStore(deps: Repairing, onStep: OnStep): Promise<Repairs> {
  const { store, now } = deps;
  const published = await overAll(
    (after) => store.published.publishAgain(after, PAGE, now()),
    onStep,
  );
  const { wrong } = await examinePart(deps, 'statistics of feeds');
  const counted =
    wrong.length === 0 ? undefined : await recountStatistics(deps, (step) => onStep(step.counted));
  return { published, counted };
}

interface Page {
  readonly count: number;
  readonly next: number | undefined;
}

async function overAll(page: (after: number) => Promise<Page>, onStep?: OnStep): Promise<number> {
  let [sum, examined] = [0, 0];
  for (let after: number | undefined = 0; after !== undefined; ) {
    const { count, next }: Page = await page(after);
    sum += count;
    examined += PAGE;
    onStep?.(examined);
    after = next;
  }
  return sum;
}
