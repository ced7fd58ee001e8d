import type { Parser } from '../../subject.ts';
import { type DotnetImage, offsetOf, readImage } from './image.ts';
import { type Metadata, readMetadata } from './metadata.ts';
import { TABLE } from './schema.ts';

/** A .NET module with resolved names. Other tables are read through `metadata`. */
export interface DotnetFile {
  readonly image: DotnetImage;
  readonly metadata: Metadata;
  readonly module: { readonly name: string; readonly mvid: string | undefined };
  /** Absent for a module that is only part of an assembly. */
  readonly assembly: AssemblyName | undefined;
  readonly references: readonly AssemblyName[];
  /** Token of a method or a file. */
  readonly entryPoint: number;
  /** In table order, as methods and fields: row 1 has index 0. */
  readonly types: readonly DotnetType[];
  readonly methods: readonly DotnetMethod[];
  readonly fields: readonly DotnetField[];
  /** RVA of the initial data of a field, by its token. Array initializers use it. */
  readonly fieldAddresses: ReadonlyMap<number, number>;
  /** Size in bytes of a type, by its token. It is the size of such data. */
  readonly typeSizes: ReadonlyMap<number, number>;
  /** One sentence for each table that exceeds its row limit. */
  readonly truncated: readonly string[];
  readonly oddities: readonly string[];
}

export interface AssemblyName {
  readonly name: string;
  readonly version: string;
}

export interface DotnetType {
  readonly token: number;
  /** With its namespace; nested types as `Outer/Inner`. */
  readonly name: string;
}

export interface DotnetMethod {
  readonly token: number;
  readonly name: string;
  /** Name of the type that declares it. */
  readonly type: string;
  readonly isStatic: boolean;
  /** File offset of the body; absent for abstract and imported methods. */
  readonly bodyOffset: number | undefined;
}

export interface DotnetField {
  readonly token: number;
  readonly name: string;
  readonly type: string;
  readonly isStatic: boolean;
}

/** Row limits. */
export const MAX_ROWS = {
  types: 50_000,
  methods: 150_000,
  fields: 150_000,
  references: 1_000,
  platformCalls: 5_000,
  resources: 1_000,
} as const;
const MAX_NESTING = 8;
const STATIC = 0x10;

const LIMITS = [
  [TABLE.typeDef, MAX_ROWS.types, 'types'],
  [TABLE.method, MAX_ROWS.methods, 'methods'],
  [TABLE.field, MAX_ROWS.fields, 'fields'],
  [TABLE.assemblyRef, MAX_ROWS.references, 'references'],
  [TABLE.implMap, MAX_ROWS.platformCalls, 'platform calls'],
  [TABLE.manifestResource, MAX_ROWS.resources, 'resources'],
] as const;

export const parseDotnet: Parser<DotnetFile> = (bytes) => {
  const image = readImage(bytes);
  if (image === undefined) return undefined;
  const root = offsetOf(image, image.cli.metadata.address);
  const metadata = root === undefined ? undefined : readMetadata(image.reader, root);
  return metadata === undefined ? undefined : describe(image, metadata);
};

function describe(image: DotnetImage, metadata: Metadata): DotnetFile {
  const { tables, heaps } = metadata;
  const types = readTypes(metadata);
  return {
    image,
    metadata,
    module: {
      name: heaps.name(tables.cell(TABLE.module, 1, 1)),
      mvid: heaps.guid(tables.cell(TABLE.module, 1, 2)),
    },
    assembly: tables.count(TABLE.assembly) === 0 ? undefined : readAssembly(metadata),
    references: readReferences(metadata),
    entryPoint: image.cli.entryPoint,
    types,
    methods: readMethods(image, metadata, ownersOf(metadata, types, METHODS_OF_TYPE)),
    fields: readFields(metadata, ownersOf(metadata, types, FIELDS_OF_TYPE)),
    fieldAddresses: readPairs(metadata, TABLE.fieldAddress, [1, 0]),
    typeSizes: readPairs(metadata, TABLE.classLayout, [2, 1]),
    truncated: LIMITS.filter(([table, max]) => tables.count(table) > max).map(
      ([table, max, name]) => `${max} of ${tables.count(table)} ${name} read`,
    ),
    oddities: metadata.oddities,
  };
}

function readAssembly({ tables, heaps }: Metadata): AssemblyName {
  const cell = (column: number) => tables.cell(TABLE.assembly, 1, column);
  return { name: heaps.name(cell(7)), version: [1, 2, 3, 4].map(cell).join('.') };
}

function readReferences({ tables, heaps }: Metadata): AssemblyName[] {
  return rows(tables.count(TABLE.assemblyRef), MAX_ROWS.references).map((row) => {
    const cell = (column: number) => tables.cell(TABLE.assemblyRef, row, column);
    return { name: heaps.name(cell(6)), version: [0, 1, 2, 3].map(cell).join('.') };
  });
}

function readTypes({ tables, heaps }: Metadata): DotnetType[] {
  const outer = new Map<number, number>();
  for (const row of rows(tables.count(TABLE.nestedClass), MAX_ROWS.types)) {
    outer.set(tables.cell(TABLE.nestedClass, row, 0), tables.cell(TABLE.nestedClass, row, 1));
  }
  const ownName = (row: number) => {
    const namespace = heaps.name(tables.cell(TABLE.typeDef, row, 2));
    const name = heaps.name(tables.cell(TABLE.typeDef, row, 1));
    return namespace === '' ? name : `${namespace}.${name}`;
  };
  return rows(tables.count(TABLE.typeDef), MAX_ROWS.types).map((row) => {
    const parts = [ownName(row)];
    let enclosing = outer.get(row);
    while (enclosing !== undefined && parts.length < MAX_NESTING) {
      parts.unshift(ownName(enclosing));
      enclosing = outer.get(enclosing);
    }
    return { token: token(TABLE.typeDef, row), name: parts.join('/') };
  });
}

/**
 * A type row has the index of its first field and method. The list ends where the next type's
 * starts.
 */
interface MemberList {
  readonly column: number;
  readonly table: number;
  /** Table of indirections, used where rows are out of order (`#-` streams only). */
  readonly pointers: number;
  readonly maxRows: number;
}

const FIELDS_OF_TYPE: MemberList = {
  column: 4,
  table: TABLE.field,
  pointers: TABLE.fieldPointer,
  maxRows: MAX_ROWS.fields,
};
const METHODS_OF_TYPE: MemberList = {
  column: 5,
  table: TABLE.method,
  pointers: TABLE.methodPointer,
  maxRows: MAX_ROWS.methods,
};

/**
 * The declaring type's name for every row. Overlapping lists are cut, so each row is visited once.
 */
function ownersOf({ tables }: Metadata, types: readonly DotnetType[], list: MemberList): string[] {
  const count = Math.min(tables.count(list.table), list.maxRows);
  const owners = new Array<string>(count).fill('');
  const hasPointers = tables.count(list.pointers) > 0;
  const start = (index: number) =>
    index < types.length ? tables.cell(TABLE.typeDef, index + 1, list.column) : count + 1;
  let next = 1;
  for (const [index, { name }] of types.entries()) {
    const end = Math.min(start(index + 1), count + 1);
    for (let row = Math.max(start(index), next); row < end; row += 1) {
      const target = hasPointers ? tables.cell(list.pointers, row, 0) : row;
      if (target >= 1 && target <= count) owners[target - 1] = name;
    }
    next = Math.max(next, end);
  }
  return owners;
}

function readMethods(image: DotnetImage, metadata: Metadata, owners: string[]): DotnetMethod[] {
  return owners.map((type, index) => {
    const cell = (column: number) => metadata.tables.cell(TABLE.method, index + 1, column);
    return {
      token: token(TABLE.method, index + 1),
      name: metadata.heaps.name(cell(3)),
      type,
      isStatic: (cell(2) & STATIC) !== 0,
      bodyOffset: offsetOf(image, cell(0)),
    };
  });
}

function readFields({ tables, heaps }: Metadata, owners: string[]): DotnetField[] {
  return owners.map((type, index) => ({
    token: token(TABLE.field, index + 1),
    name: heaps.name(tables.cell(TABLE.field, index + 1, 1)),
    type,
    isStatic: (tables.cell(TABLE.field, index + 1, 0) & STATIC) !== 0,
  }));
}

/** Maps the token in the column `key` to the number in the column `value`. */
function readPairs(
  { tables }: Metadata,
  table: typeof TABLE.fieldAddress | typeof TABLE.classLayout,
  [key, value]: readonly [number, number],
): Map<number, number> {
  const keyTable = table === TABLE.fieldAddress ? TABLE.field : TABLE.typeDef;
  return new Map(
    rows(tables.count(table), MAX_ROWS.fields).map((row) => [
      token(keyTable, tables.cell(table, row, key)),
      tables.cell(table, row, value),
    ]),
  );
}

/** The table in the top byte, the row below (ECMA-335, III.1.9). */
export function token(table: number, row: number): number {
  return ((table << 24) | row) >>> 0;
}

/** Row numbers from 1 to `count`, at most `max` of them. */
export function rows(count: number, max: number): number[] {
  return Array.from({ length: Math.min(count, max) }, (_, index) => index + 1);
}
