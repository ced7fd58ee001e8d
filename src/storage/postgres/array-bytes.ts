/**
 * Arrays in the binary format of PostgreSQL: the number of dimensions, whether there are nulls, the
 * type of the elements, their number and the first index, all as u32; then each element with its
 * length, or -1 for null. Neither side has to escape or parse texts.
 */
export class ArrayArgument {
  /** The SQL type of the elements. */
  readonly type: string;
  readonly elements: readonly unknown[];

  constructor(type: string, elements: readonly unknown[]) {
    this.type = type;
    this.elements = elements;
  }
}

interface ElementType {
  readonly oid: number;
  /** Writes an element and returns the end of it; `undefined` if the text form has to be used. */
  write(element: unknown, offset: number): number | undefined;
}

const HEADER_BYTES = 20;
const LENGTH_BYTES = 4;
const NULL = -1;
/** Of UTF-8, for a unit of a JavaScript string. */
const MAX_BYTES_PER_UNIT = 3;

/** Reused: the driver copies each value before the next one is formatted. */
let scratch = Buffer.allocUnsafe(64 * 1024);

/** OIDs: https://www.postgresql.org/docs/current/catalog-pg-type.html */
const TYPES: Readonly<Record<string, ElementType>> = {
  text: { oid: 25, write: writeText },
  bytea: { oid: 17, write: writeBytes },
  bigint: { oid: 20, write: writeBigint },
  'timestamp with time zone': { oid: 1184, write: writeTime },
};

/**
 * The bytes are valid until the next call. `undefined` if the type or a value has no binary form
 * here.
 */
export function arrayBytes({ type, elements }: ArrayArgument): Buffer | undefined {
  const known = TYPES[type];
  if (known === undefined || elements.length === 0) return undefined;
  let end = HEADER_BYTES;
  let hasNull = 0;
  for (const element of elements) {
    reserve(end, LENGTH_BYTES);
    const start = end + LENGTH_BYTES;
    const next = element === null ? start : known.write(element, start);
    if (next === undefined) return undefined;
    if (element === null) hasNull = 1;
    scratch.writeInt32BE(element === null ? NULL : next - start, end);
    end = next;
  }
  for (const [index, value] of [1, hasNull, known.oid, elements.length, 1].entries())
    scratch.writeInt32BE(value, index * 4);
  return scratch.subarray(0, end);
}

function reserve(offset: number, length: number): void {
  if (offset + length <= scratch.length) return;
  const larger = Buffer.allocUnsafe(2 * (offset + length));
  scratch.copy(larger, 0, 0, offset);
  scratch = larger;
}

function writeText(element: unknown, offset: number): number | undefined {
  if (typeof element !== 'string') return undefined;
  reserve(offset, element.length * MAX_BYTES_PER_UNIT);
  return offset + scratch.write(element, offset);
}

function writeBytes(element: unknown, offset: number): number | undefined {
  if (!(element instanceof Uint8Array)) return undefined;
  reserve(offset, element.length);
  scratch.set(element, offset);
  return offset + element.length;
}

function writeBigint(element: unknown, offset: number): number | undefined {
  if (!Number.isSafeInteger(element)) return undefined;
  reserve(offset, 8);
  const value = element as number;
  scratch.writeInt32BE(Math.floor(value / 2 ** 32), offset);
  return scratch.writeUInt32BE(value >>> 0, offset + 4);
}

/** The format of `toISOString`, so that no digit is lost. */
const ISO_LENGTH = '2026-11-15T07:54:22.120Z'.length;
/** PostgreSQL counts microseconds from here. */
const EPOCH_MS = Date.UTC(2000, 0, 1);

function writeTime(element: unknown, offset: number): number | undefined {
  if (typeof element !== 'string') return undefined;
  if (element.length !== ISO_LENGTH || !element.endsWith('Z')) return undefined;
  return writeBigint((Date.parse(element) - EPOCH_MS) * 1000, offset);
}
