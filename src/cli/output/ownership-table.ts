import type { Ownership, OwnershipPattern } from '../../client/wire.ts';
import type { Columns } from './list.ts';
import { visible } from './show.ts';

export const ownershipColumns: Columns<OwnershipPattern> = [
  { name: 'pattern', title: 'PATTERN', value: ({ pattern }) => pattern },
  { name: 'state', title: 'STATE', value: ({ state }) => state },
  { name: 'method', title: 'METHOD', value: ({ method }) => method },
  { name: 'verified_at', title: 'VERIFIED', value: ({ verifiedAt }) => verifiedAt },
  { name: 'checked_at', title: 'CHECKED', value: ({ checkedAt }) => checkedAt },
  { name: 'problem', title: 'PROBLEM', flexible: true, value: ({ problem }) => problem },
  { name: 'record_name', value: ({ recordName }) => recordName },
  { name: 'url', value: ({ url }) => url },
];

/** The record and the file for the first host that is not proven; nothing if there is none. */
export function howToProve({ patterns, challenge }: Ownership): string {
  const open = patterns.find(({ state, url }) => state === 'declared' && url !== null);
  if (open === undefined) return '';
  const { pattern, recordName, url } = open;
  const ways = [
    ...(recordName === null ? [] : [visible(`  a TXT record:  ${recordName}  "${challenge}"`)]),
    visible(`  or a file:     ${url}  with the line  ${challenge}`),
  ];
  return `\n\nTo prove ${visible(pattern)}, publish one of these, then run "rapsheet service check":\n${ways.join('\n')}`;
}
