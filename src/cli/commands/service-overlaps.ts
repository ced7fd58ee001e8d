import type { OverlapPage } from '../../client/wire.ts';
import { presentOverlap } from '../../http/responses/present-c2.ts';
import { listOverlaps } from '../../operations/services/list-overlaps.ts';
import type { Command } from '../command.ts';
import { ndjsonOption, outputOption } from '../output/format.ts';
import { type Columns, Pages } from '../output/list.ts';
import { onStore } from '../store-command.ts';

const PAGE = 1000;

export const serviceOverlaps: Command = {
  name: 'service overlaps',
  usage: '[--ndjson]',
  summary: 'List hosts and networks that lie in those of another service',
  options: {
    ...outputOption,
    ...ndjsonOption,
  },
  examples: [{ command: 'rapsheet service overlaps', description: 'List the overlaps' }],
  async run(input) {
    const pages = new Pages(input, overlapColumns);
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

const overlapColumns: Columns<ShownOverlap> = [
  { name: 'pattern', title: 'PATTERN', value: ({ pattern }) => pattern },
  { name: 'service', title: 'SERVICE', value: ({ service }) => service },
  { name: 'state', title: 'STATE', value: stateOf },
  { name: 'within', title: 'WITHIN', value: ({ within }) => within.pattern },
  { name: 'within_service', title: 'OF', value: ({ within }) => within.service },
  { name: 'within_state', title: 'STATE', value: ({ within }) => stateOf(within) },
];

function stateOf({
  verified,
  publicSuffix,
}: Pick<ShownOverlap, 'verified' | 'publicSuffix'>): string {
  if (publicSuffix) return 'public suffix, not used';
  return verified ? 'verified' : 'declared';
}
