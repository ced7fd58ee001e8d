import type { OverlapPage } from '../../client/wire.ts';
import { presentOverlap } from '../../http/responses/present-c2.ts';
import { listOverlaps } from '../../operations/reports/list-overlaps.ts';
import type { Command } from '../command.ts';
import { Pages } from '../output/pages.ts';
import { table } from '../output/table.ts';
import { onStore } from '../store-command.ts';

const PAGE = 1000;

export const serviceOverlaps: Command = {
  name: 'service overlaps',
  usage: '[--ndjson]',
  summary: 'List hosts and networks that lie in those of another service',
  options: { ndjson: { type: 'boolean', description: 'Print one JSON value per line' } },
  examples: [{ command: 'rapsheet service overlaps', description: 'List the overlaps' }],
  async run(input) {
    const pages = new Pages(input, overlapTable);
    await onStore(input, async (deps) => {
      let cursor: string | undefined;
      do {
        const { overlaps: found, nextCursor } = await listOverlaps(deps, { cursor, limit: PAGE });
        const overlaps = found.map(presentOverlap);
        cursor = nextCursor;
        // A page may be empty although another one follows.
        if (overlaps.length > 0 || cursor === undefined) pages.show({ overlaps }, overlaps);
      } while (cursor !== undefined);
    });
    pages.end();
  },
};

type ShownOverlap = OverlapPage['overlaps'][number];

function overlapTable(overlaps: readonly ShownOverlap[]): string {
  return table(
    ['PATTERN', 'SERVICE', 'STATE', 'WITHIN', 'OF', 'STATE'],
    overlaps.map((overlap) => [...cellsOf(overlap), ...cellsOf(overlap.within)]),
  );
}

function cellsOf({
  pattern,
  service,
  verified,
  publicSuffix,
}: Omit<ShownOverlap, 'within'>): readonly string[] {
  const state = verified ? 'verified' : 'declared';
  return [pattern, service, publicSuffix ? 'public suffix, not used' : state];
}
