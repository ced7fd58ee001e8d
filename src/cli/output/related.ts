import type { RelatedToAddress } from '../../client/wire.ts';
import { type Columns, tableOf } from './list.ts';
import { visible } from './show.ts';

type Relation = 'file' | 'same settings' | 'same host' | 'below';

interface RelatedRow {
  readonly relation: Relation;
  /** A SHA-256, a C2 or a host. */
  readonly value: string;
  readonly families: readonly string[];
  /** The name of a file, or the number of files whose settings name a C2. */
  readonly file: string;
}

export const relatedColumns: Columns<RelatedRow> = [
  { name: 'relation', title: 'RELATION', value: ({ relation }) => relation },
  { name: 'value', title: 'VALUE', value: ({ value }) => value },
  { name: 'family', title: 'FAMILY', flexible: true, value: ({ families }) => families },
  { name: 'file', title: 'FILE', flexible: true, value: ({ file }) => file },
];

export function relatedRows({
  c2,
  host,
  files,
  sameHost,
  below,
}: RelatedToAddress): readonly RelatedRow[] {
  const named = files.newest.flatMap((file) => file.c2s);
  const isOwn = (other: string) => other === c2 || (c2 === undefined && isOn(host, other));
  const siblings = Map.groupBy(
    named.filter((one) => !isOwn(one.c2)),
    (one) => one.c2,
  );
  return [
    ...files.newest.map(({ sha256Hash, fileName, c2s }) => {
      const own = c2s.filter((one) => isOwn(one.c2));
      return row('file', sha256Hash, { families: familiesOf(own), file: fileName });
    }),
    ...[...siblings].map(([value, of]) => {
      const file = of.length === 1 ? '1 file' : `${of.length} files`;
      return row('same settings', value, { families: familiesOf(of), file });
    }),
    ...sameHost.c2s.map((value) => row('same host', value)),
    ...below.hosts.map((value) => row('below', value)),
  ];
}

function isOn(host: string, c2: string): boolean {
  return c2.slice(0, c2.lastIndexOf(':')) === (host.includes(':') ? `[${host}]` : host);
}

function row(
  relation: Relation,
  value: string,
  { families = [], file = '' }: Partial<Pick<RelatedRow, 'families' | 'file'>> = {},
): RelatedRow {
  return { relation, value, families, file };
}

function familiesOf(c2s: RelatedToAddress['files']['newest'][number]['c2s']): readonly string[] {
  return [...new Set(c2s.flatMap(({ family }) => family ?? []))];
}

export function showRelated(related: RelatedToAddress): string {
  const rows = relatedRows(related);
  const { files, sameHost, below, c2, host } = related;
  const cut = [
    files.hasMore && 'files',
    (files.hasMore || files.newest.some(({ hasMoreC2s }) => hasMoreC2s)) && 'C2s of the settings',
    sameHost.hasMore && 'C2s of the host',
    below.hasMore && 'names below it',
  ].filter((part) => part !== false);
  const table =
    rows.length === 0
      ? `Nothing belongs to ${visible(c2 ?? host)}.`
      : tableOf(relatedColumns, rows);
  return cut.length === 0 ? table : `${table}\n\nThere may be more ${cut.join(', ')}.`;
}
