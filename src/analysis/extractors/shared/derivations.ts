import { codeOf } from '../../formats/dotnet/code.ts';
import type { Constant, ConstantStore } from '../../formats/dotnet/constants.ts';
import type { DotnetFile, DotnetMethod } from '../../formats/dotnet/file.ts';
import type { Instruction } from '../../formats/dotnet/il.ts';
import { fieldData, memberOf } from '../../formats/dotnet/members.ts';
import type { DotnetSettings } from './dotnet-settings.ts';

/** How a program makes keys of a password. */
export interface Derivation {
  readonly salt: Buffer;
  readonly rounds: number;
  /** Sizes of the first key, where the code says so. */
  readonly keyBytes: readonly number[];
}

export interface KeyUse {
  /** Those that the code shows; where it shows none, those that are known. */
  readonly derivations: readonly Derivation[];
  /** Tokens of fields that are given to the class that derives keys. */
  readonly keyFields: ReadonlySet<number>;
}

const KNOWN_SALTS = {
  /** Of Quasar, and of what took the class from there. */
  quasar: Buffer.from('bfeb1e56fbcd973bb219022430a57843003d5644d21e62b9d4f180e7e6c33941', 'hex'),
  dcrat: Buffer.from('DcRatByqwqdanchun'),
  venomrat: Buffer.from('VenomRATByVenom'),
  /** Of its other builds. */
  venom: Buffer.from('VenomByVenom'),
} as const;

const DERIVES = 'System.Security.Cryptography.Rfc2898DeriveBytes';
const GIVES_BYTES = new Set([
  `${DERIVES}::GetBytes`,
  'System.Security.Cryptography.DeriveBytes::GetBytes',
]);
const INITIALIZE_ARRAY = 'System.Runtime.CompilerServices.RuntimeHelpers::InitializeArray';
const TEXT_TO_BYTES = 'System.Text.Encoding::GetBytes';
const USUAL_ROUNDS = 50_000;
const SIZES_OF_AES_KEYS = [16, 24, 32];
const SHORTEST_SALT = 8;
const LONGEST_SALT = 1_024;
const MOST_DERIVATIONS = 6;
/** Programs derive keys at one place or two. */
const MOST_PLACES = 64;
/** How far behind the object it is asked for its first key. */
const REACH = 16;

interface Place {
  readonly method: DotnetMethod;
  readonly steps: readonly Instruction[];
  /** Of the instruction that makes the deriving object. */
  readonly at: number;
}

const KNOWN_DERIVATIONS: readonly Derivation[] = Object.values(KNOWN_SALTS).map((salt) => ({
  salt,
  rounds: USUAL_ROUNDS,
  keyBytes: [],
}));

/** A field that is loaded right before a call, and the type whose method is called. */
interface Given {
  readonly field: number;
  readonly type: string;
}

/** Reads all of the code: to be asked only of programs that look like the right ones. */
export function keyUses(settings: DotnetSettings): KeyUse {
  const { places, given } = findCalls(settings.file);
  const types = new Set(places.map(({ method }) => method.type));
  const stores = storesByField(settings);
  const likely = places.slice(0, MOST_PLACES);
  const shown = distinct(
    likely.flatMap((place) => derivationAt(settings.file, stores, place) ?? []),
  );
  return {
    derivations: shown.length > 0 ? shown : KNOWN_DERIVATIONS,
    keyFields: new Set(given.filter(({ type }) => types.has(type)).map(({ field }) => field)),
  };
}

function findCalls(file: DotnetFile): { places: readonly Place[]; given: readonly Given[] } {
  const places: Place[] = [];
  const given: Given[] = [];
  for (const { method, steps: all } of codeOf(file)) {
    const steps = all.filter(({ name }) => name !== 'nop');
    for (const [at, { name, operand = 0 }] of steps.entries()) {
      if (name !== 'newobj' && name !== 'call') continue;
      const type = memberOf(file, operand)?.type ?? '';
      const before = steps[at - 1];
      if (type === DERIVES) places.push({ method, steps, at });
      else if (before?.name === 'ldsfld') given.push({ field: before.operand ?? 0, type });
    }
  }
  return { places, given };
}

type Stores = ReadonlyMap<number, ConstantStore>;

/** What is stored first in each field. */
function storesByField({ blocks }: DotnetSettings): Stores {
  const stores = new Map<number, ConstantStore>();
  for (const { fields } of blocks) {
    for (const store of fields) {
      if (!stores.has(store.fieldToken)) stores.set(store.fieldToken, store);
    }
  }
  return stores;
}

/** `salt; ldc.i4 rounds; newobj`, and behind it `ldc.i4 size; GetBytes` for each key. */
function derivationAt(
  file: DotnetFile,
  stores: Stores,
  { steps, at }: Place,
): Derivation | undefined {
  const rounds = steps[at - 1];
  if (rounds?.name !== 'ldc.i4' || (rounds.operand ?? 0) < 1) return undefined;
  const salt = saltBefore(file, stores, steps.slice(Math.max(at - 3, 0), at - 1));
  if (salt === undefined || salt.length < SHORTEST_SALT || salt.length > LONGEST_SALT)
    return undefined;
  return {
    salt,
    rounds: rounds.operand ?? 0,
    keyBytes: firstSize(file, steps.slice(at, at + REACH)),
  };
}

function firstSize(file: DotnetFile, steps: readonly Instruction[]): number[] {
  const at = steps.findIndex(
    ({ name, operand = 0 }) => name === 'callvirt' && GIVES_BYTES.has(titleOf(file, operand)),
  );
  const size = at < 1 ? undefined : steps[at - 1];
  const isSize = size?.name === 'ldc.i4' && SIZES_OF_AES_KEYS.includes(size.operand ?? 0);
  return isSize ? [size.operand ?? 0] : [];
}

/** A field, an array that is written out, or a text that is made bytes of. */
function saltBefore(
  file: DotnetFile,
  stores: Stores,
  steps: readonly Instruction[],
): Buffer | undefined {
  const [before, last] = [steps.at(-2), steps.at(-1)];
  if (last?.name === 'ldsfld') {
    const store = stores.get(last.operand ?? 0);
    return store && bytesOf(store.value, store.through);
  }
  const title = titleOf(file, last?.operand ?? 0);
  if (title === INITIALIZE_ARRAY && before?.name === 'ldtoken')
    return fieldData(file, before.operand ?? 0);
  if (title !== TEXT_TO_BYTES || before?.name !== 'ldstr') return undefined;
  return bytesOf(file.metadata.heaps.userString(before.operand ?? 0)?.text ?? '', [title]);
}

function bytesOf(value: Constant, through: readonly string[]): Buffer | undefined {
  if (Buffer.isBuffer(value)) return through.length === 0 ? value : undefined;
  const isText = typeof value === 'string' && through.length === 1 && through[0] === TEXT_TO_BYTES;
  return isText ? Buffer.from(value) : undefined;
}

function titleOf(file: DotnetFile, token: number): string {
  const member = memberOf(file, token);
  return member === undefined ? '' : `${member.type}::${member.name}`;
}

function distinct(derivations: readonly Derivation[]): Derivation[] {
  const byKey = new Map<string, Derivation>();
  for (const one of derivations) {
    const key = `${one.salt.toString('hex')} ${one.rounds}`;
    if (!byKey.has(key)) byKey.set(key, one);
  }
  return [...byKey.values()].slice(0, MOST_DERIVATIONS);
}
