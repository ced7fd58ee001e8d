import type { Dependencies } from '../dependencies.ts';

/** Counts the uploads whose analysis has not ended, up to the limit of the store. */
export async function countUnfinishedUploads({
  store,
}: Pick<Dependencies, 'store'>): Promise<number> {
  return (await store.samples.unfinished()).count;
}
