/**
 * The tables of .NET metadata and their columns (ECMA-335, II.22). A column is a number, an index
 * into a heap, a row of one table, or a row of one of several tables (a coded index, II.24.2.6: its
 * low bits select the table).
 */
export type Column =
  | 'u16'
  | 'u32'
  | 'string'
  | 'guid'
  | 'blob'
  | { readonly row: number }
  | { readonly coded: keyof typeof CODED };

/** Ids of the tables that are read. */
export const TABLE = {
  module: 0x00,
  typeRef: 0x01,
  typeDef: 0x02,
  fieldPointer: 0x03,
  field: 0x04,
  methodPointer: 0x05,
  method: 0x06,
  memberRef: 0x0a,
  customAttribute: 0x0c,
  classLayout: 0x0f,
  moduleRef: 0x1a,
  typeSpec: 0x1b,
  implMap: 0x1c,
  fieldAddress: 0x1d,
  assembly: 0x20,
  assemblyRef: 0x23,
  file: 0x26,
  manifestResource: 0x28,
  nestedClass: 0x29,
  methodSpec: 0x2b,
} as const;

/** The tables of each kind of coded index, by tag; -1 for an unused tag. */
export const CODED = {
  typeDefOrRef: [0x02, 0x01, 0x1b],
  hasConstant: [0x04, 0x08, 0x17],
  hasCustomAttribute: [
    0x06, 0x04, 0x01, 0x02, 0x08, 0x09, 0x0a, 0x00, 0x0e, 0x17, 0x14, 0x11, 0x1a, 0x1b, 0x20, 0x23,
    0x26, 0x27, 0x28, 0x2a, 0x2c, 0x2b,
  ],
  hasFieldMarshal: [0x04, 0x08],
  hasDeclSecurity: [0x02, 0x06, 0x20],
  memberRefParent: [0x02, 0x01, 0x1a, 0x06, 0x1b],
  hasSemantics: [0x14, 0x17],
  methodDefOrRef: [0x06, 0x0a],
  memberForwarded: [0x04, 0x06],
  implementation: [0x26, 0x23, 0x27],
  customAttributeType: [-1, -1, 0x06, 0x0a, -1],
  resolutionScope: [0x00, 0x1a, 0x23, 0x01],
  typeOrMethodDef: [0x02, 0x06],
} as const satisfies Readonly<Record<string, readonly number[]>>;

const row = (table: number): Column => ({ row: table });
const coded = (name: keyof typeof CODED): Column => ({ coded: name });

/** Columns by table id. All tables are needed: the offset of a table depends on those before it. */
export const SCHEMA: readonly (readonly Column[])[] = [
  /* 00 Module */ ['u16', 'string', 'guid', 'guid', 'guid'],
  /* 01 TypeRef */ [coded('resolutionScope'), 'string', 'string'],
  /* 02 TypeDef */ ['u32', 'string', 'string', coded('typeDefOrRef'), row(0x04), row(0x06)],
  /* 03 FieldPtr */ [row(0x04)],
  /* 04 Field */ ['u16', 'string', 'blob'],
  /* 05 MethodPtr */ [row(0x06)],
  /* 06 MethodDef */ ['u32', 'u16', 'u16', 'string', 'blob', row(0x08)],
  /* 07 ParamPtr */ [row(0x08)],
  /* 08 Param */ ['u16', 'u16', 'string'],
  /* 09 InterfaceImpl */ [row(0x02), coded('typeDefOrRef')],
  /* 0a MemberRef */ [coded('memberRefParent'), 'string', 'blob'],
  /* 0b Constant */ ['u16', coded('hasConstant'), 'blob'],
  /* 0c CustomAttribute */ [coded('hasCustomAttribute'), coded('customAttributeType'), 'blob'],
  /* 0d FieldMarshal */ [coded('hasFieldMarshal'), 'blob'],
  /* 0e DeclSecurity */ ['u16', coded('hasDeclSecurity'), 'blob'],
  /* 0f ClassLayout */ ['u16', 'u32', row(0x02)],
  /* 10 FieldLayout */ ['u32', row(0x04)],
  /* 11 StandAloneSig */ ['blob'],
  /* 12 EventMap */ [row(0x02), row(0x14)],
  /* 13 EventPtr */ [row(0x14)],
  /* 14 Event */ ['u16', 'string', coded('typeDefOrRef')],
  /* 15 PropertyMap */ [row(0x02), row(0x17)],
  /* 16 PropertyPtr */ [row(0x17)],
  /* 17 Property */ ['u16', 'string', 'blob'],
  /* 18 MethodSemantics */ ['u16', row(0x06), coded('hasSemantics')],
  /* 19 MethodImpl */ [row(0x02), coded('methodDefOrRef'), coded('methodDefOrRef')],
  /* 1a ModuleRef */ ['string'],
  /* 1b TypeSpec */ ['blob'],
  /* 1c ImplMap */ ['u16', coded('memberForwarded'), 'string', row(0x1a)],
  /* 1d FieldRVA */ ['u32', row(0x04)],
  /* 1e EncLog */ ['u32', 'u32'],
  /* 1f EncMap */ ['u32'],
  /* 20 Assembly */ ['u32', 'u16', 'u16', 'u16', 'u16', 'u32', 'blob', 'string', 'string'],
  /* 21 AssemblyProcessor */ ['u32'],
  /* 22 AssemblyOS */ ['u32', 'u32', 'u32'],
  /* 23 AssemblyRef */ ['u16', 'u16', 'u16', 'u16', 'u32', 'blob', 'string', 'string', 'blob'],
  /* 24 AssemblyRefProcessor */ ['u32', row(0x23)],
  /* 25 AssemblyRefOS */ ['u32', 'u32', 'u32', row(0x23)],
  /* 26 File */ ['u32', 'string', 'blob'],
  /* 27 ExportedType */ ['u32', 'u32', 'string', 'string', coded('implementation')],
  /* 28 ManifestResource */ ['u32', 'u32', 'string', coded('implementation')],
  /* 29 NestedClass */ [row(0x02), row(0x02)],
  /* 2a GenericParam */ ['u16', 'u16', coded('typeOrMethodDef'), 'string'],
  /* 2b MethodSpec */ [coded('methodDefOrRef'), 'blob'],
  /* 2c GenericParamConstraint */ [row(0x2a), coded('typeDefOrRef')],
];
