import { Reader } from '../../reader.ts';
import { type DotnetFile, rows, token } from './file.ts';
import { readCompressed } from './heaps.ts';
import { codedToken, memberOf, type PlatformCall, signatureOf } from './members.ts';
import { TABLE } from './schema.ts';

const MAX_ROWS = 100_000;

/** Marks that obfuscators leave: names of attributes and types, in lower case and without their namespaces. */
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

/** Of so many names or more, and so large a part of them: single odd names are written by compilers too. */
const ODD_NAMES_FROM = 8;
const ODD_NAMES_SHARE = 0.3;
/** Control signs, what joins or turns text, private use, unassigned, combining marks and blanks. */
const ODD_NAME = /[\p{C}\p{M}\p{Z}]/u;

/** Which obfuscator says so of itself, or why the names look like the work of one. */
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
  const odd = all.filter((name) => ODD_NAME.test(name)).length;
  if (all.length < ODD_NAMES_FROM || odd / all.length < ODD_NAMES_SHARE) return undefined;
  return `${odd} of ${all.length} names cannot be read`;
}

/** Methods of other assemblies that this one names, as `Type::name`. */
function referredMembers(file: DotnetFile): { readonly name: string; readonly token: number }[] {
  return rows(file.metadata.tables.count(TABLE.memberRef), MAX_ROWS).flatMap((row) => {
    const member = memberOf(file, token(TABLE.memberRef, row));
    return member === undefined
      ? []
      : [{ name: `${member.type}::${member.name}`, token: member.token }];
  });
}

const LOADERS = new Set(['System.Reflection.Assembly::Load', 'System.AppDomain::Load']);
/** `byte[]` as the first parameter: convention, count, what is given back, array of u1. */
const TAKES_BYTES = Buffer.from([0x1d, 0x05]);

/** The member that loads a program from bytes; loading one by its name is nothing of note. */
export function loadsFromBytes(file: DotnetFile): string | undefined {
  return referredMembers(file).find(
    ({ name, token: of }) => LOADERS.has(name) && signatureOf(file, of).includes(TAKES_BYTES),
  )?.name;
}

const WRITES = /^(?:Nt|Zw)?(?:WriteProcessMemory|WriteVirtualMemory|MapViewOfSection)$/;
const RUNS =
  /^(?:CreateRemoteThread(?:Ex)?|(?:Nt|Zw)CreateThreadEx|RtlCreateUserThread|(?:Wow64)?SetThreadContext|(?:Nt|Zw)SetContextThread|QueueUserAPC|(?:Nt|Zw)QueueApcThread)$/;

/** Writing into another process and having it run there: only together they are what injection takes. */
export function injectionCalls(calls: readonly PlatformCall[]): readonly string[] {
  const writes = calls.filter(({ name }) => WRITES.test(name));
  const runs = calls.filter(({ name }) => RUNS.test(name));
  return writes.length > 0 && runs.length > 0 ? [...writes, ...runs].map(({ name }) => name) : [];
}

const KEYS = /^(?:SetWindowsHookEx[AW]?|GetAsyncKeyState|GetKeyboardState)$/;
const WINDOWS = /^(?:GetForegroundWindow|GetWindowText[AW]?)$/;

/** Keys and the window that they are typed into. */
export function keyloggingCalls(calls: readonly PlatformCall[]): readonly string[] {
  const keys = calls.filter(({ name }) => KEYS.test(name));
  const windows = calls.filter(({ name }) => WINDOWS.test(name));
  return keys.length > 0 && windows.length > 0 ? [...keys, ...windows].map(({ name }) => name) : [];
}

const AMSI = /^Amsi(?:ScanBuffer|ScanString|OpenSession|Initialize)$/;

/**
 * The scanner's functions named in the program's literals, together with the means to change code in memory.
 * One of the two alone is what security tools and many others have.
 */
export function amsiBypass(file: DotnetFile, calls: readonly PlatformCall[]): string | undefined {
  if (!calls.some(({ name }) => /^(?:VirtualProtect|(?:Nt|Zw)ProtectVirtualMemory)$/.test(name))) {
    return undefined;
  }
  return file.metadata.heaps.userStrings().find(({ text }) => AMSI.test(text))?.text;
}

const ASSEMBLY = token(TABLE.assembly, 1);

/** The GUID that an assembly gives itself for COM: copies of one project share it (ECMA-335, II.23.3). */
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

/** u16 1, then a text with its length. */
function readGuidText(blob: Reader): string | undefined {
  const length = readCompressed(blob, 2);
  if (blob.u16(0) !== 1 || length === undefined) return undefined;
  const text = blob
    .upTo(2 + length.size, length.value)
    .toString('latin1')
    .toLowerCase();
  return /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text) ? text : undefined;
}
