import type { RelatedToAddress } from '../../../../../src/client/wire.ts';
import { isOwn, siblingsOf } from './related-lists.ts';

/** What is within two steps of an address: a graph of three columns, one for each step. */
export interface Pivot {
  readonly columns: readonly (readonly PivotNode[])[];
  readonly links: readonly PivotLink[];
  /** Whether something was left out: by the server, or because it does not fit. */
  readonly isCut: boolean;
}

export type NodeKind = 'c2' | 'host' | 'file' | 'family';

export interface PivotNode {
  readonly id: string;
  readonly kind: NodeKind;
  /** An address, a host, a SHA-256 or the name of a family. */
  readonly value: string;
  /** The name of a file. */
  readonly name?: string;
}

/** Joins nodes of adjacent columns. */
export interface PivotLink {
  readonly from: string;
  readonly to: string;
}

/** More nodes in a column would not be told apart. */
const MAX_IN_COLUMN = 14;
const MAX_FAMILIES = 3;

type RelatedFile = RelatedToAddress['files']['newest'][number];

function node(kind: NodeKind, value: string): PivotNode {
  return { id: `${kind} ${value}`, kind, value };
}

function fileNode({ sha256Hash, fileName }: RelatedFile): PivotNode {
  return { ...node('file', sha256Hash), name: fileName };
}

export function pivotOf(related: RelatedToAddress): Pivot {
  return related.c2 === undefined ? pivotOfHost(related) : pivotOfC2(related, related.c2);
}

/** The C2, its host, families and files, and the other C2s of those files and of the host. */
function pivotOfC2(related: RelatedToAddress, address: string): Pivot {
  const { files, sameHost } = related;
  const [subject, host] = [node('c2', address), node('host', related.host)];
  const families = familiesOf(files.newest, (c2) => isOwn(related, c2));
  const first = [
    host,
    ...families.slice(0, MAX_FAMILIES).map((family) => node('family', family)),
    ...files.newest.map(fileNode),
  ];
  const siblings = siblingsOf(related).c2s.map(({ c2 }) => node('c2', c2));
  const ports = sameHost.c2s.map((c2) => node('c2', c2));
  return build([[subject], first, distinct(alternate(siblings, ports))], {
    links: [
      ...first.map(({ id }) => ({ from: subject.id, to: id })),
      ...ports.map(({ id }) => ({ from: host.id, to: id })),
      ...files.newest.flatMap((file) =>
        file.c2s.map(({ c2 }) => ({ from: fileNode(file).id, to: node('c2', c2).id })),
      ),
    ],
    isCut: isCutByServer(related) || families.length > MAX_FAMILIES,
  });
}

/** The host, its C2s, and the files and families of these. */
function pivotOfHost(related: RelatedToAddress): Pivot {
  const { files, sameHost, host } = related;
  const subject = node('host', host);
  const own = files.newest.flatMap(({ c2s }) => c2s.filter(({ c2 }) => isOwn(related, c2)));
  const c2s = distinct([...own.map(({ c2 }) => c2), ...sameHost.c2s].map((c2) => node('c2', c2)));
  const families = distinct(own.flatMap(({ family }) => family ?? []).map(toFamily));
  const last = [...families.slice(0, MAX_FAMILIES), ...files.newest.map(fileNode)];
  return build([[subject], c2s, last], {
    links: [
      ...c2s.map(({ id }) => ({ from: subject.id, to: id })),
      ...own.flatMap(({ c2, family }) =>
        family === null ? [] : [{ from: node('c2', c2).id, to: toFamily(family).id }],
      ),
      ...files.newest.flatMap((file) =>
        file.c2s.map(({ c2 }) => ({ from: node('c2', c2).id, to: fileNode(file).id })),
      ),
    ],
    isCut: isCutByServer(related) || families.length > MAX_FAMILIES,
  });
}

function toFamily(name: string): PivotNode {
  return node('family', name);
}

function familiesOf(
  files: readonly RelatedFile[],
  isWanted: (c2: string) => boolean,
): readonly string[] {
  const named = files.flatMap(({ c2s }) => c2s.filter(({ c2 }) => isWanted(c2)));
  return [...new Set(named.flatMap(({ family }) => family ?? []))];
}

function isCutByServer({ files, sameHost }: RelatedToAddress): boolean {
  return files.hasMore || sameHost.hasMore || files.newest.some(({ hasMoreC2s }) => hasMoreC2s);
}

/** One of each list in turn, so that a long list does not displace the other. */
function alternate<Item>(one: readonly Item[], other: readonly Item[]): readonly Item[] {
  return Array.from({ length: Math.max(one.length, other.length) }, (_, index) => [
    ...one.slice(index, index + 1),
    ...other.slice(index, index + 1),
  ]).flat();
}

function distinct(nodes: readonly PivotNode[]): readonly PivotNode[] {
  return [...new Map(nodes.map((one) => [one.id, one])).values()];
}

/** Keeps what fits, and the links between what is kept. Each column follows the one before it. */
function build(
  all: readonly (readonly PivotNode[])[],
  { links, isCut }: Pick<Pivot, 'links' | 'isCut'>,
): Pivot {
  const kept = all.map((column) => column.slice(0, MAX_IN_COLUMN));
  const shown = new Map(kept.flatMap((column, step) => column.map(({ id }) => [id, step])));
  const between = new Map(links.map((link) => [`${link.from} ${link.to}`, link]));
  const drawn = [...between.values()].filter(
    ({ from, to }) => (shown.get(from) ?? 9) + 1 === shown.get(to),
  );
  // What is linked with nothing that is drawn would look like a stranger.
  const isLinked = new Set(drawn.map(({ to }) => to));
  const columns = kept.map((column, step) =>
    column.filter(({ id }) => step === 0 || isLinked.has(id)),
  );
  const last = columns.at(-1) ?? [];
  const middle = columns.at(-2) ?? [];
  return {
    columns: [...columns.slice(0, -1), sortBy(last, middle, drawn)],
    links: drawn,
    isCut: isCut || columns.flat().length < all.flat().length,
  };
}

/** By the mean position of their neighbours, so that few lines cross. */
function sortBy(
  column: readonly PivotNode[],
  before: readonly PivotNode[],
  links: readonly PivotLink[],
): readonly PivotNode[] {
  const positions = new Map(before.map(({ id }, index) => [id, index]));
  const mean = ({ id }: PivotNode) => {
    const of = links.filter(({ to }) => to === id).map(({ from }) => positions.get(from) ?? 0);
    return of.reduce((sum, position) => sum + position, 0) / of.length;
  };
  return column.toSorted((one, other) => mean(one) - mean(other));
}

/** The nodes that a link joins with this one. */
export function neighboursOf({ columns, links }: Pivot, id: string): readonly PivotNode[] {
  const ids = new Set(
    links.flatMap(({ from, to }) => (from === id ? [to] : to === id ? [from] : [])),
  );
  return columns.flat().filter((other) => ids.has(other.id));
}

export type Direction = 'up' | 'down' | 'left' | 'right';

/** The node that an arrow key leads to; the same one at the edge. */
export function moveFrom(pivot: Pivot, id: string, direction: Direction): string {
  const { columns } = pivot;
  const step = columns.findIndex((column) => column.some((one) => one.id === id));
  const column = columns[step] ?? [];
  const index = column.findIndex((one) => one.id === id);
  if (direction === 'up' || direction === 'down')
    return column[index + (direction === 'up' ? -1 : 1)]?.id ?? id;
  const target = columns[step + (direction === 'left' ? -1 : 1)] ?? [];
  const linked = neighboursOf(pivot, id).find((one) => target.includes(one));
  return linked?.id ?? target[Math.min(index, target.length - 1)]?.id ?? id;
}
