import type { Parser } from '../../subject.ts';
import { type DotnetImage, offsetOf, readImage } from './image.ts';
import { type Metadata, readMetadata } from './metadata.ts';
import { TABLE } from './schema.ts';

/** A .NET module: what its metadata says by name. Everything else is asked for through `metadata`. */
export interface DotnetFile {
  readonly image: DotnetImage;
  readonly metadata: Metadata;
  readonly module: { readonly name: string; readonly mvid: string | undefined };
  /** Absent for a module that is only part of an assembly. */
  readonly assembly: AssemblyName | undefined;
  readonly references: readonly AssemblyName[];
  /** A token: of a method, or of a file. */
  readonly entryPoint: number;
  /** In table order: the type of row 1 is at place 0. The same for methods and fields. */
  readonly types: readonly DotnetType[];
  readonly methods: readonly DotnetMethod[];
  readonly fields: readonly DotnetField[];
  /** Addresses of the data that fields begin with, by the field's token: arrays written out in the source. */
  readonly fieldAddresses: ReadonlyMap<number, number>;
  /** Stated sizes in bytes, by the type's token: those of such data. */
  readonly typeSizes: ReadonlyMap<number, number>;
  /** What was left unread because there was too much of it. */
  readonly truncated: readonly string[];
  readonly oddities: readonly string[];
}

export interface AssemblyName {
  readonly name: string;
  readonly version: string;
}

export interface DotnetType {
  readonly token: number;
  /** With its namespace, nested ones as `Outer/Inner`. */
  readonly name: string;
}

export interface DotnetMethod {
  readonly token: number;
  readonly name: string;
  /** Name of the type that declares it. */
  readonly type: string;
  readonly isStatic: boolean;
  /** Where its body begins in the file; absent for what is abstract or elsewhere. */
  readonly bodyOffset: number | undefined;
}

export interface DotnetField {
  readonly token: number;
  readonly name: string;
  readonly type: string;
  readonly isStatic: boolean;
}

/** How many of each are read. */
export const MOST = {
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
  [TABLE.typeDef, MOST.types, 'types'],
  [TABLE.method, MOST.methods, 'methods'],
  [TABLE.field, MOST.fields, 'fields'],
  [TABLE.assemblyRef, MOST.references, 'references'],
  [TABLE.implMap, MOST.platformCalls, 'platform calls'],
  [TABLE.manifestResource, MOST.resources, 'resources'],
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
    truncated: LIMITS.filter(([table, most]) => tables.count(table) > most).map(
      ([table, most, what]) => `${most} of ${tables.count(table)} ${what} read`,
    ),
    oddities: metadata.oddities,
  };
}

function readAssembly({ tables, heaps }: Metadata): AssemblyName {
  const cell = (column: number) => tables.cell(TABLE.assembly, 1, column);
  return { name: heaps.name(cell(7)), version: [1, 2, 3, 4].map(cell).join('.') };
}

function readReferences({ tables, heaps }: Metadata): AssemblyName[] {
  return rows(tables.count(TABLE.assemblyRef), MOST.references).map((row) => {
    const cell = (column: number) => tables.cell(TABLE.assemblyRef, row, column);
    return { name: heaps.name(cell(6)), version: [0, 1, 2, 3].map(cell).join('.') };
  });
}

function readTypes({ tables, heaps }: Metadata): DotnetType[] {
  const outer = new Map<number, number>();
  for (const row of rows(tables.count(TABLE.nestedClass), MOST.types)) {
    outer.set(tables.cell(TABLE.nestedClass, row, 0), tables.cell(TABLE.nestedClass, row, 1));
  }
  const own = (row: number) => {
    const namespace = heaps.name(tables.cell(TABLE.typeDef, row, 2));
    const name = heaps.name(tables.cell(TABLE.typeDef, row, 1));
    return namespace === '' ? name : `${namespace}.${name}`;
  };
  return rows(tables.count(TABLE.typeDef), MOST.types).map((row) => {
    const parts = [own(row)];
    let around = outer.get(row);
    while (around !== undefined && parts.length < MAX_NESTING) {
      parts.unshift(own(around));
      around = outer.get(around);
    }
    return { token: token(TABLE.typeDef, row), name: parts.join('/') };
  });
}

/** A type names its first field and its first method; its last ones stand before those of the next type. */
interface ListOfType {
  readonly column: number;
  readonly table: number;
  /** Stands between where the table is out of order (only in `#-` streams). */
  readonly pointers: number;
  readonly most: number;
}

const FIELDS_OF_TYPE: ListOfType = {
  column: 4,
  table: TABLE.field,
  pointers: TABLE.fieldPointer,
  most: MOST.fields,
};
const METHODS_OF_TYPE: ListOfType = {
  column: 5,
  table: TABLE.method,
  pointers: TABLE.methodPointer,
  most: MOST.methods,
};

/** The declaring type's name for every row. Lists that go back are cut, so that each row is met once. */
function ownersOf({ tables }: Metadata, types: readonly DotnetType[], list: ListOfType): string[] {
  const count = Math.min(tables.count(list.table), list.most);
  const owners = new Array<string>(count).fill('');
  const hasPointers = tables.count(list.pointers) > 0;
  const start = (place: number) =>
    place < types.length ? tables.cell(TABLE.typeDef, place + 1, list.column) : count + 1;
  let next = 1;
  for (const [place, { name }] of types.entries()) {
    const end = Math.min(start(place + 1), count + 1);
    for (let row = Math.max(start(place), next); row < end; row += 1) {
      const at = hasPointers ? tables.cell(list.pointers, row, 0) : row;
      if (at >= 1 && at <= count) owners[at - 1] = name;
    }
    next = Math.max(next, end);
  }
  return owners;
}

function readMethods(image: DotnetImage, metadata: Metadata, owners: string[]): DotnetMethod[] {
  return owners.map((type, place) => {
    const cell = (column: number) => metadata.tables.cell(TABLE.method, place + 1, column);
    return {
      token: token(TABLE.method, place + 1),
      name: metadata.heaps.name(cell(3)),
      type,
      isStatic: (cell(2) & STATIC) !== 0,
      bodyOffset: offsetOf(image, cell(0)),
    };
  });
}

function readFields({ tables, heaps }: Metadata, owners: string[]): DotnetField[] {
  return owners.map((type, place) => ({
    token: token(TABLE.field, place + 1),
    name: heaps.name(tables.cell(TABLE.field, place + 1, 1)),
    type,
    isStatic: (tables.cell(TABLE.field, place + 1, 0) & STATIC) !== 0,
  }));
}

/** One column's number by the token in another: `[token, number]`. */
function readPairs(
  { tables }: Metadata,
  table: typeof TABLE.fieldAddress | typeof TABLE.classLayout,
  [key, value]: readonly [number, number],
): Map<number, number> {
  const keyTable = table === TABLE.fieldAddress ? TABLE.field : TABLE.typeDef;
  return new Map(
    rows(tables.count(table), MOST.fields).map((row) => [
      token(keyTable, tables.cell(table, row, key)),
      tables.cell(table, row, value),
    ]),
  );
}

/** The table in the top byte, the row below (ECMA-335, III.1.9). */
export function token(table: number, row: number): number {
  return ((table << 24) | row) >>> 0;
}

/** The numbers of the rows, from 1, no more than `most` of them. */
export function rows(count: number, most: number): number[] {
  return Array.from({ length: Math.min(count, most) }, (_, place) => place + 1);
}
