import { Reader } from '../../reader.ts';
import { type DotnetFile, MAX_ROWS, rows, token } from './file.ts';
import { readCompressed } from './heaps.ts';
import { offsetOf } from './image.ts';
import { decodeIndex } from './metadata.ts';
import { type CODED, TABLE } from './schema.ts';

/** The member or type that a token refers to. For a type, `name` is empty. */
export interface Member {
  readonly token: number;
  readonly type: string;
  readonly name: string;
}

/** How many values a call pops and pushes (ECMA-335, II.23.2.1). */
export interface CallShape {
  readonly hasThis: boolean;
  readonly parameters: number;
  readonly returns: boolean;
}

/** A native function that is imported by name (P/Invoke). */
export interface PlatformCall {
  readonly library: string;
  readonly name: string;
  /** Token of the method that declares the import. */
  readonly method: number;
}

/** Nested types and generic instances refer to other types; a crafted file may form a cycle. */
const MAX_REFERENCES = 8;
const SIGNATURE_FIELD = 0x06;
const ELEMENT = { void: 0x01, valueType: 0x11, class: 0x12, array: 0x1d, instance: 0x15 } as const;
/**
 * Sizes of the primitive types, by element type: bool, char, i1, u1, i2, u2, i4, u4, i8, u8, r4,
 * r8.
 */
const PRIMITIVE_SIZES: readonly (number | undefined)[] = [
  undefined,
  undefined,
  ...[1, 2, 1, 1, 2, 2, 4, 4, 8, 8, 4, 8],
];

/** Resolves a token of a field, method or type; `undefined` for other tables and missing rows. */
export function memberOf(file: DotnetFile, of: number): Member | undefined {
  const [table, row] = [of >>> 24, of & 0xffffff];
  const { tables, heaps } = file.metadata;
  switch (table) {
    case TABLE.method:
      return named(of, file.methods[row - 1]);
    case TABLE.field:
      return named(of, file.fields[row - 1]);
    case TABLE.memberRef: {
      if (row < 1 || row > tables.count(table)) return undefined;
      const parent = codedToken('memberRefParent', tables.cell(table, row, 0));
      return {
        token: of,
        type: typeName(file, parent),
        name: heaps.name(tables.cell(table, row, 1)),
      };
    }
    case TABLE.methodSpec: {
      const method = codedToken('methodDefOrRef', tables.cell(table, row, 0));
      return method >>> 24 === TABLE.methodSpec ? undefined : memberOf(file, method);
    }
    case TABLE.typeDef:
    case TABLE.typeRef:
    case TABLE.typeSpec:
      return { token: of, type: typeName(file, of), name: '' };
    default:
      return undefined;
  }
}

function named(
  of: number,
  member: { readonly type: string; readonly name: string } | undefined,
): Member | undefined {
  return member === undefined ? undefined : { token: of, type: member.type, name: member.name };
}

/** `Type::Name` of a method or field; empty if the token does not resolve. */
export function qualifiedName(file: DotnetFile, of: number): string {
  const member = memberOf(file, of);
  return member === undefined ? '' : `${member.type}::${member.name}`;
}

/** With namespace; nested types as `Outer/Inner`, generic types without their arguments. */
export function typeName(file: DotnetFile, of: number, referencesLeft = MAX_REFERENCES): string {
  const [table, row] = [of >>> 24, of & 0xffffff];
  if (referencesLeft === 0) return '';
  if (table === TABLE.typeDef) return file.types[row - 1]?.name ?? '';
  if (table === TABLE.typeRef) return typeRefName(file, row, referencesLeft - 1);
  if (table === TABLE.typeSpec) return typeSpecName(file, row, referencesLeft - 1);
  // A global function: of another module, or with a variable list of arguments.
  if (table === TABLE.method) return file.methods[row - 1]?.type ?? '';
  return '';
}

function typeRefName(file: DotnetFile, row: number, referencesLeft: number): string {
  const { tables, heaps } = file.metadata;
  const name = heaps.name(tables.cell(TABLE.typeRef, row, 1));
  const scope = codedToken('resolutionScope', tables.cell(TABLE.typeRef, row, 0));
  if (scope >>> 24 === TABLE.typeRef) return `${typeName(file, scope, referencesLeft)}/${name}`;
  const namespace = heaps.name(tables.cell(TABLE.typeRef, row, 2));
  return namespace === '' ? name : `${namespace}.${name}`;
}

/** Arrays and generic instances resolve to their element type and their generic type. */
function typeSpecName(file: DotnetFile, row: number, referencesLeft: number): string {
  const blob = new Reader(
    file.metadata.heaps.blob(file.metadata.tables.cell(TABLE.typeSpec, row, 0)),
  );
  let at = 0;
  while (blob.u8(at) === ELEMENT.array || blob.u8(at) === ELEMENT.instance) at += 1;
  const kind = blob.u8(at);
  if (kind !== ELEMENT.class && kind !== ELEMENT.valueType) return '';
  const index = readCompressed(blob, at + 1);
  return index === undefined
    ? ''
    : typeName(file, codedToken('typeDefOrRef', index.value), referencesLeft);
}

export function callShape(file: DotnetFile, of: number): CallShape | undefined {
  const blob = new Reader(signatureOf(file, of));
  const convention = blob.u8(0);
  if (convention === undefined) return undefined;
  let at = 1;
  if ((convention & 0x10) !== 0) at += readCompressed(blob, at)?.size ?? 0;
  const parameters = readCompressed(blob, at);
  if (parameters === undefined) return undefined;
  return {
    hasThis: (convention & 0x20) !== 0,
    parameters: parameters.value,
    returns: blob.u8(skipModifiers(blob, at + parameters.size)) !== ELEMENT.void,
  };
}

/** The signature blob of a method or field. */
export function signatureOf({ metadata: { tables, heaps } }: DotnetFile, of: number): Buffer {
  const [table, row] = [of >>> 24, of & 0xffffff];
  if (table === TABLE.methodSpec) {
    const method = decodeIndex('methodDefOrRef', tables.cell(table, row, 0));
    return heaps.blob(tables.cell(method.table, method.row, method.table === TABLE.method ? 4 : 2));
  }
  if (table === TABLE.method) return heaps.blob(tables.cell(table, row, 4));
  if (table === TABLE.field || table === TABLE.memberRef)
    return heaps.blob(tables.cell(table, row, 2));
  return Buffer.alloc(0);
}

/** The initial data of a field (FieldRVA), if the size of its type is known. */
export function fieldData(file: DotnetFile, field: number): Buffer | undefined {
  const address = file.fieldAddresses.get(field);
  if (address === undefined) return undefined;
  const size = fieldSize(file, new Reader(signatureOf(file, field)));
  const offset = offsetOf(file.image, address);
  if (size === undefined || offset === undefined) return undefined;
  return file.image.reader.slice(offset, size);
}

function fieldSize(file: DotnetFile, signature: Reader): number | undefined {
  if (signature.u8(0) !== SIGNATURE_FIELD) return undefined;
  const at = skipModifiers(signature, 1);
  const kind = signature.u8(at) ?? 0;
  if (kind !== ELEMENT.valueType) return PRIMITIVE_SIZES[kind];
  const index = readCompressed(signature, at + 1);
  return index === undefined
    ? undefined
    : file.typeSizes.get(codedToken('typeDefOrRef', index.value));
}

/** Skips custom modifiers such as `volatile`: 0x1f or 0x20, then a type. */
function skipModifiers(blob: Reader, from: number): number {
  let at = from;
  while (blob.u8(at) === 0x1f || blob.u8(at) === 0x20) {
    at += 1 + (readCompressed(blob, at + 1)?.size ?? 1);
  }
  return at;
}

export function platformCalls({ metadata: { tables, heaps } }: DotnetFile): PlatformCall[] {
  return rows(tables.count(TABLE.implMap), MAX_ROWS.platformCalls).map((row) => ({
    library: heaps.name(tables.cell(TABLE.moduleRef, tables.cell(TABLE.implMap, row, 3), 0)),
    name: heaps.name(tables.cell(TABLE.implMap, row, 2)),
    method: codedToken('memberForwarded', tables.cell(TABLE.implMap, row, 1)),
  }));
}

export function codedToken(kind: keyof typeof CODED, value: number): number {
  const { table, row } = decodeIndex(kind, value);
  return table < 0 ? 0 : token(table, row);
}
