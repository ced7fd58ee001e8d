import type { Ownership, OwnershipPattern } from '../../client/wire.ts';
import { table } from './table.ts';

export function ownershipTable(patterns: readonly OwnershipPattern[]): string {
  return table(
    ['PATTERN', 'STATE', 'METHOD', 'VERIFIED', 'CHECKED', 'PROBLEM'],
    patterns.map(({ pattern, state, method, verifiedAt, checkedAt, problem }) => [
      pattern,
      state,
      method ?? '',
      verifiedAt ?? '',
      checkedAt ?? '',
      problem ?? '',
    ]),
  );
}

/** The record and the file for the first host that is not proven; nothing if there is none. */
export function howToProve({ patterns, challenge }: Ownership): string {
  const open = patterns.find(({ state, url }) => state === 'declared' && url !== null);
  if (open === undefined) return '';
  const { pattern, recordName, url } = open;
  const ways = [
    ...(recordName === null ? [] : [`  a TXT record:  ${recordName}  "${challenge}"`]),
    `  or a file:     ${url}  with the line  ${challenge}`,
  ];
  return `\n\nTo prove ${pattern}, publish one of these, then run "rapsheet ownership check":\n${ways.join('\n')}`;
}
