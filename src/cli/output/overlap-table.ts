import type { OverlapPage } from '../../client/wire.ts';
import type { Columns } from './list.ts';

type ShownOverlap = OverlapPage['overlaps'][number];

export const overlapColumns: Columns<ShownOverlap> = [
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
