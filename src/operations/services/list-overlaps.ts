import { seal } from '../../domain/reports/cursor.ts';
import type { Overlap } from '../../domain/services/route.ts';
import type { PatternPosition } from '../../ports/service-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { readPageCursor } from '../page-cursor.ts';

export interface OverlapsPage {
  readonly overlaps: readonly Overlap[];
  /** `undefined` on the last page. */
  readonly nextCursor: string | undefined;
}

const PURPOSE = ['overlaps'];
/** Patterns examined in one read. */
const SLICE = 200;
/** 2,000 patterns for a page, which may be short: most patterns overlap with no other. */
const MAX_SLICES = 10;

/** Returns a page of the patterns that lie in a pattern of another service, by name or network. */
export async function listOverlaps(
  { store }: Pick<Dependencies, 'store'>,
  { cursor, limit }: { readonly cursor: string | undefined; readonly limit: number },
): Promise<OverlapsPage> {
  const secret = await store.feeds.secret();
  const start = readPageCursor(secret, PURPOSE, cursor);
  let after = start === undefined ? undefined : (JSON.parse(start) as PatternPosition);
  const overlaps: Overlap[] = [];
  for (let slice = 0; slice < MAX_SLICES && overlaps.length < limit; slice += 1) {
    const wanted = limit - overlaps.length;
    const found = await store.services.overlaps({ after, examine: SLICE, limit: wanted });
    overlaps.push(...found.overlaps);
    after = found.next;
    if (after === undefined) return { overlaps, nextCursor: undefined };
  }
  return { overlaps, nextCursor: seal(secret, PURPOSE, JSON.stringify(after)) };
}
