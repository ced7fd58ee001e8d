import { Reader } from '../../reader.ts';
import { type DotnetFile, rows, token } from './file.ts';
import { readCompressed } from './heaps.ts';
import { codedToken, memberOf, type PlatformCall, signatureOf } from './members.ts';
import { TABLE } from './schema.ts';

const MAX_ROWS = 100_000;

/** Attributes and types that obfuscators add: names in lower case, without namespace. */
const OBFUSCATORS: ReadonlyMap<string, string> = new Map([
  ['confusedbyattribute', 'ConfuserEx'],
  ['poweredbyattribute', 'SmartAssembly'],
  ['dotfuscatorattribute', 'Dotfuscator'],
  ['babelattribute', 'Babel'],
  ['babelobfuscatorattribute', 'Babel'],
  ['protectedwithcryptoobfuscatorattribute', 'Crypto Obfuscator'],
  ['obfuscatedbygoliath', 'Goliath'],
  ['obfuscatedbyagiledotnetattribute', 'Agile.NET'],
  ['obfuscatedbyclisecureattribute', 'CliSecure'],
  ['processedbyxenocode', 'Xenocode'],
  ['yanoattribute', 'Yano'],
  ['zyxdnguarder', 'DNGuard'],
  ['emypid_8234_', 'EMyPID'],
  ['ninerays.obfuscator.evaluation', 'Spices'],
]);

/** Thresholds of count and share: compilers write single unreadable names, too. */
const MIN_NAMES = 8;
const MIN_UNREADABLE_SHARE = 0.3;
/** Control and format characters, private use, unassigned, combining marks and spaces. */
const UNREADABLE_NAME = /[\p{C}\p{M}\p{Z}]/u;

/** The name of the obfuscator, or the reason why the names look obfuscated. */
export function obfuscatorOf(file: DotnetFile): string | undefined {
  const { tables, heaps } = file.metadata;
  const names = [TABLE.typeDef, TABLE.typeRef].flatMap((table) =>
    rows(tables.count(table), MAX_ROWS).map((row) => heaps.name(tables.cell(table, row, 1))),
  );
  for (const name of names) {
    const obfuscator = OBFUSCATORS.get(name.toLowerCase());
    if (obfuscator !== undefined) return obfuscator;
  }
  const all = [...file.methods, ...file.fields, ...file.types].map(({ name }) => name);
  const unreadable = all.filter((name) => UNREADABLE_NAME.test(name)).length;
  if (all.length < MIN_NAMES || unreadable / all.length < MIN_UNREADABLE_SHARE) return undefined;
  return `${unreadable} of ${all.length} names cannot be read`;
}

/** Members of other assemblies, as `Type::Name`. */
function referencedMembers(file: DotnetFile): { readonly name: string; readonly token: number }[] {
  return rows(file.metadata.tables.count(TABLE.memberRef), MAX_ROWS).flatMap((row) => {
    const member = memberOf(file, token(TABLE.memberRef, row));
    return member === undefined
      ? []
      : [{ name: `${member.type}::${member.name}`, token: member.token }];
  });
}

const LOADERS = new Set(['System.Reflection.Assembly::Load', 'System.AppDomain::Load']);
/** `byte[]` in a signature: SZARRAY, U1. */
const TAKES_BYTES = Buffer.from([0x1d, 0x05]);

/** The overload that loads an assembly from bytes. Loading by name is ordinary. */
export function loadsFromBytes(file: DotnetFile): string | undefined {
  return referencedMembers(file).find(
    ({ name, token: of }) => LOADERS.has(name) && signatureOf(file, of).includes(TAKES_BYTES),
  )?.name;
}

const WRITES = /^(?:Nt|Zw)?(?:WriteProcessMemory|WriteVirtualMemory|MapViewOfSection)$/;
const RUNS =
  /^(?:CreateRemoteThread(?:Ex)?|(?:Nt|Zw)CreateThreadEx|RtlCreateUserThread|(?:Wow64)?SetThreadContext|(?:Nt|Zw)SetContextThread|QueueUserAPC|(?:Nt|Zw)QueueApcThread)$/;

/**
 * Injection needs both: a function that writes to another process and one that starts code in it.
 */
export function injectionCalls(calls: readonly PlatformCall[]): readonly string[] {
  const writes = calls.filter(({ name }) => WRITES.test(name));
  const runs = calls.filter(({ name }) => RUNS.test(name));
  return writes.length > 0 && runs.length > 0 ? [...writes, ...runs].map(({ name }) => name) : [];
}

const KEYS = /^(?:SetWindowsHookEx[AW]?|GetAsyncKeyState|GetKeyboardState)$/;
const WINDOWS = /^(?:GetForegroundWindow|GetWindowText[AW]?)$/;

/** Needs both: a function that reads keys and one that reads the active window. */
export function keyloggingCalls(calls: readonly PlatformCall[]): readonly string[] {
  const keys = calls.filter(({ name }) => KEYS.test(name));
  const windows = calls.filter(({ name }) => WINDOWS.test(name));
  return keys.length > 0 && windows.length > 0 ? [...keys, ...windows].map(({ name }) => name) : [];
}

const AMSI = /^Amsi(?:ScanBuffer|ScanString|OpenSession|Initialize)$/;

/**
 * Needs both: a literal that names a function of AMSI and an import that makes code writable.
 * Security tools have one of the two.
 */
export function amsiBypass(file: DotnetFile, calls: readonly PlatformCall[]): string | undefined {
  if (!calls.some(({ name }) => /^(?:VirtualProtect|(?:Nt|Zw)ProtectVirtualMemory)$/.test(name))) {
    return undefined;
  }
  return file.metadata.heaps.userStrings().find(({ text }) => AMSI.test(text))?.text;
}

const ASSEMBLY = token(TABLE.assembly, 1);

/** The type library GUID of the assembly. Copies of a project share it (ECMA-335, II.23.3). */
export function typeLibraryId(file: DotnetFile): string | undefined {
  const { tables, heaps } = file.metadata;
  for (const row of rows(tables.count(TABLE.customAttribute), MAX_ROWS)) {
    const cell = (column: number) => tables.cell(TABLE.customAttribute, row, column);
    if (codedToken('hasCustomAttribute', cell(0)) !== ASSEMBLY) continue;
    const attribute = memberOf(file, codedToken('customAttributeType', cell(1)));
    if (attribute?.type !== 'System.Runtime.InteropServices.GuidAttribute') continue;
    return readGuidText(new Reader(heaps.blob(cell(2))));
  }
  return undefined;
}

/** u16 1, compressed length, text. */
function readGuidText(blob: Reader): string | undefined {
  const length = readCompressed(blob, 2);
  if (blob.u16(0) !== 1 || length === undefined) return undefined;
  const text = blob
    .upTo(2 + length.size, length.value)
    .toString('latin1')
    .toLowerCase();
  return /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text) ? text : undefined;
}
