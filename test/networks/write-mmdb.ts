import { bitsOf, readNetwork } from '../../src/domain/ip-address.ts';

/**
 * Writes an MMDB file (https://maxmind.github.io/MaxMind-DB/): a binary tree of the bits of
 * addresses, then 16 zero bytes, the records, a marker and the metadata. Records are written out
 * each time, without pointers.
 */
export interface MmdbSource {
  readonly type: string;
  /** 4: the tree has no IPv6 addresses. 6: those of IPv4 are below `::/96`. */
  readonly version: 4 | 6;
  /** Records by network. */
  readonly records: Readonly<Record<string, unknown>>;
}

const MARKER = Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1');
const RECORD_BITS = 24;
const UNSIGNED_32 = 2 ** 32;

type Node = [Child, Child];
type Child = Node | { readonly offset: number } | undefined;

export function writeMmdb({ type, version, records }: MmdbSource): Buffer {
  const root: Node = [undefined, undefined];
  const written: Buffer[] = [];
  let offset = 0;
  for (const [network, record] of Object.entries(records)) {
    const { bytes, length } = readNetwork(network);
    const bits = bitsOf(bytes).slice(0, length);
    insert(root, version === 6 && bytes.length === 4 ? `${'0'.repeat(96)}${bits}` : bits, {
      offset,
    });
    const value = encode(record);
    written.push(value);
    offset += value.length;
  }
  const nodes = nodesOf(root);
  const tree = Buffer.concat(nodes.map((node) => encodeNode(node, nodes)));
  const metadata = encode({
    node_count: nodes.length,
    record_size: RECORD_BITS,
    ip_version: version,
    database_type: type,
    languages: ['en'],
    binary_format_major_version: 2,
    binary_format_minor_version: 0,
    build_epoch: 1_767_225_600,
    description: { en: 'A table for tests' },
  });
  return Buffer.concat([tree, Buffer.alloc(16), ...written, MARKER, metadata]);
}

function insert(root: Node, bits: string, leaf: { readonly offset: number }): void {
  let node = root;
  for (const bit of bits.slice(0, -1)) {
    const child = node[Number(bit)];
    if (child !== undefined && !Array.isArray(child)) throw new Error('networks must not overlap');
    const next: Node = child ?? [undefined, undefined];
    node[Number(bit)] = next;
    node = next;
  }
  node[Number(bits.at(-1))] = leaf;
}

function nodesOf(node: Node): readonly Node[] {
  return [node, ...node.flatMap((child) => (Array.isArray(child) ? nodesOf(child) : []))];
}

/** A child is the number of a node, the number of nodes for nothing, or more for a record. */
function encodeNode(node: Node, nodes: readonly Node[]): Buffer {
  const bytes = Buffer.alloc(RECORD_BITS / 4);
  for (const [index, child] of node.entries()) {
    const value = Array.isArray(child)
      ? nodes.indexOf(child)
      : nodes.length + (child === undefined ? 0 : 16 + child.offset);
    bytes.writeUIntBE(value, (index * RECORD_BITS) / 8, RECORD_BITS / 8);
  }
  return bytes;
}

const TYPES = { text: 2, map: 7, unsigned: 6, list: 11 } as const;

function encode(value: unknown): Buffer {
  if (typeof value === 'string') {
    const text = Buffer.from(value);
    return Buffer.concat([control(TYPES.text, text.length), text]);
  }
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value < UNSIGNED_32) {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(value);
    return Buffer.concat([control(TYPES.unsigned, 4), bytes]);
  }
  if (Array.isArray(value))
    return Buffer.concat([control(TYPES.list, value.length), ...value.map(encode)]);
  if (typeof value !== 'object' || value === null)
    throw new Error(`${String(value)} cannot be written`);
  const entries = Object.entries(value);
  return Buffer.concat([
    control(TYPES.map, entries.length),
    ...entries.flatMap(([key, one]) => [encode(key), encode(one)]),
  ]);
}

/** Three bits of type and five of size. Types from 8 on are in a byte of their own. */
function control(type: number, size: number): Buffer {
  if (size >= 285) throw new Error('texts and lists must be shorter than 285');
  const bits = Math.min(size, 29);
  const head = type > 7 ? [bits, type - 7] : [(type << 5) | bits];
  return Buffer.from(size < 29 ? head : [...head, size - 29]);
}
