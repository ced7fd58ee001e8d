import { codeOf } from '../../formats/dotnet/code.ts';
import type { DotnetFile, DotnetMethod } from '../../formats/dotnet/file.ts';
import type { Instruction } from '../../formats/dotnet/il.ts';
import { fieldData, memberOf, qualifiedName } from '../../formats/dotnet/members.ts';
import type { Constant, ConstantStore } from '../../formats/dotnet/stack-values.ts';
import type { DotnetSettings } from './dotnet-settings.ts';

/**
 * Finds the parameters of PBKDF2 in the code of a .NET program:
 *
 * | IL | meaning |
 * |---|---|
 * | `ldsfld salt`, or `ldtoken; InitializeArray`, or `ldstr; GetBytes` | the salt |
 * | `ldc.i4 rounds; newobj Rfc2898DeriveBytes` | the number of rounds |
 * | `ldc.i4 size; callvirt GetBytes` | the size of the first key |
 * | `ldsfld field; newobj or call` of the type that contains the above | the password field |
 *
 * A program that calls `Rfc2898DeriveBytes` by reflection or through a class of its own does not
 * name it. Then every salt with a number of rounds shortly after it is a candidate, and after them
 * the known salts. A wrong candidate costs time only: the MAC decides.
 */
export interface Derivation {
  readonly salt: Buffer;
  readonly rounds: number;
  /** Sizes of the first key that the code states; may be empty. */
  readonly keyBytes: readonly number[];
}

export interface KeyUse {
  /** The derivations found in the code, or candidates if there are none. */
  readonly derivations: readonly Derivation[];
  /** Whether the derivations are candidates. */
  readonly isGuess: boolean;
  /** Tokens of the fields that are passed to the type that derives keys. */
  readonly keyFields: ReadonlySet<number>;
}

const KNOWN_SALTS = {
  /** Quasar and the families that copied its class. */
  quasar: Buffer.from('bfeb1e56fbcd973bb219022430a57843003d5644d21e62b9d4f180e7e6c33941', 'hex'),
  dcrat: Buffer.from('DcRatByqwqdanchun'),
  venomrat: Buffer.from('VenomRATByVenom'),
  /** Other builds of VenomRAT. */
  venom: Buffer.from('VenomByVenom'),
} as const;

const DERIVE_BYTES = 'System.Security.Cryptography.Rfc2898DeriveBytes';
const GET_BYTES = new Set([
  `${DERIVE_BYTES}::GetBytes`,
  'System.Security.Cryptography.DeriveBytes::GetBytes',
]);
const INITIALIZE_ARRAY = 'System.Runtime.CompilerServices.RuntimeHelpers::InitializeArray';
const TEXT_TO_BYTES = 'System.Text.Encoding::GetBytes';
const USUAL_ROUNDS = 50_000;
const AES_KEY_SIZES = [16, 24, 32];
const MIN_SALT_BYTES = 8;
const MAX_SALT_BYTES = 1_024;
const MAX_DERIVATIONS = 6;
/** Programs derive keys in one or two methods. */
const MAX_SITES = 64;
/** Instructions between the constructor call and the first `GetBytes`. */
const GET_BYTES_WINDOW = 16;
/** Instructions between the salt and a candidate for the number of rounds, and usual numbers. */
const ROUNDS_WINDOW = 8;
const MIN_GUESSED_ROUNDS = 1_000;
const MAX_GUESSED_ROUNDS = 200_000;
const MAX_GUESSES = 2;

/** An instruction that constructs `Rfc2898DeriveBytes`. */
interface DerivationSite {
  readonly method: DotnetMethod;
  readonly steps: readonly Instruction[];
  /** Index of that instruction in `steps`. */
  readonly index: number;
}

const KNOWN_DERIVATIONS: readonly Derivation[] = Object.values(KNOWN_SALTS).map((salt) => ({
  salt,
  rounds: USUAL_ROUNDS,
  keyBytes: [],
}));

/** A field that is loaded right before a call, and the type that declares the called method. */
interface PassedField {
  readonly field: number;
  readonly type: string;
}

/** Decodes all code of the program, so call it only if the settings look encrypted. */
export function keyUses(settings: DotnetSettings): KeyUse {
  const { sites, passed } = findCalls(settings.file);
  const types = new Set(sites.map(({ method }) => method.type));
  const stores = storesByField(settings);
  const found = distinct(
    sites.slice(0, MAX_SITES).flatMap((site) => derivationAt(settings.file, stores, site) ?? []),
  );
  const isGuess = found.length === 0;
  return {
    derivations: isGuess ? guessedDerivations(settings.file, stores) : found,
    isGuess,
    keyFields: new Set(passed.filter(({ type }) => types.has(type)).map(({ field }) => field)),
  };
}

function guessedDerivations(file: DotnetFile, stores: Stores): readonly Derivation[] {
  const guesses: Derivation[] = [];
  for (const { steps: all } of codeOf(file)) {
    const steps = all.filter(({ name }) => name !== 'nop');
    for (const [index, { name, operand: rounds = 0 }] of steps.entries()) {
      if (name !== 'ldc.i4' || rounds < MIN_GUESSED_ROUNDS || rounds > MAX_GUESSED_ROUNDS) continue;
      const salt = saltBefore(file, stores, steps.slice(Math.max(index - ROUNDS_WINDOW, 0), index));
      if (salt !== undefined) guesses.push({ salt, rounds, keyBytes: [] });
    }
  }
  return [...distinct(guesses).slice(0, MAX_GUESSES), ...KNOWN_DERIVATIONS];
}

/** The last salt that these instructions load. */
function saltBefore(
  file: DotnetFile,
  stores: Stores,
  steps: readonly Instruction[],
): Buffer | undefined {
  for (let end = steps.length; end > 0; end -= 1) {
    const salt = saltIn(file, stores, steps.slice(Math.max(end - 2, 0), end));
    if (isSalt(salt)) return salt;
  }
  return undefined;
}

function isSalt(bytes: Buffer | undefined): bytes is Buffer {
  return bytes !== undefined && bytes.length >= MIN_SALT_BYTES && bytes.length <= MAX_SALT_BYTES;
}

function findCalls(file: DotnetFile): {
  sites: readonly DerivationSite[];
  passed: readonly PassedField[];
} {
  const sites: DerivationSite[] = [];
  const passed: PassedField[] = [];
  for (const { method, steps: all } of codeOf(file)) {
    const steps = all.filter(({ name }) => name !== 'nop');
    for (const [index, { name, operand = 0 }] of steps.entries()) {
      if (name !== 'newobj' && name !== 'call') continue;
      const type = memberOf(file, operand)?.type ?? '';
      const before = steps[index - 1];
      if (type === DERIVE_BYTES) sites.push({ method, steps, index });
      else if (before?.name === 'ldsfld') passed.push({ field: before.operand ?? 0, type });
    }
  }
  return { sites, passed };
}

type Stores = ReadonlyMap<number, ConstantStore>;

/** The first store of each field, by the field's token. */
function storesByField({ blocks }: DotnetSettings): Stores {
  const stores = new Map<number, ConstantStore>();
  for (const { fields } of blocks) {
    for (const store of fields) {
      if (!stores.has(store.fieldToken)) stores.set(store.fieldToken, store);
    }
  }
  return stores;
}

function derivationAt(
  file: DotnetFile,
  stores: Stores,
  { steps, index }: DerivationSite,
): Derivation | undefined {
  const rounds = steps[index - 1];
  if (rounds?.name !== 'ldc.i4' || (rounds.operand ?? 0) < 1) return undefined;
  const salt = saltIn(file, stores, steps.slice(Math.max(index - 3, 0), index - 1));
  if (!isSalt(salt)) return undefined;
  return {
    salt,
    rounds: rounds.operand ?? 0,
    keyBytes: firstKeySize(file, steps.slice(index, index + GET_BYTES_WINDOW)),
  };
}

function firstKeySize(file: DotnetFile, steps: readonly Instruction[]): number[] {
  const index = steps.findIndex(
    ({ name, operand = 0 }) => name === 'callvirt' && GET_BYTES.has(qualifiedName(file, operand)),
  );
  const size = index < 1 ? undefined : steps[index - 1];
  const isKeySize = size?.name === 'ldc.i4' && AES_KEY_SIZES.includes(size.operand ?? 0);
  return isKeySize ? [size.operand ?? 0] : [];
}

/** Reads the salt from a field, an array initializer or an encoded literal. */
function saltIn(
  file: DotnetFile,
  stores: Stores,
  steps: readonly Instruction[],
): Buffer | undefined {
  const [before, last] = [steps.at(-2), steps.at(-1)];
  if (last?.name === 'ldsfld') {
    const store = stores.get(last.operand ?? 0);
    return store && bytesOf(store.value, store.calls);
  }
  const name = qualifiedName(file, last?.operand ?? 0);
  if (name === INITIALIZE_ARRAY && before?.name === 'ldtoken')
    return fieldData(file, before.operand ?? 0);
  if (name !== TEXT_TO_BYTES || before?.name !== 'ldstr') return undefined;
  return bytesOf(file.metadata.heaps.userString(before.operand ?? 0)?.text ?? '', [name]);
}

function bytesOf(value: Constant, calls: readonly string[]): Buffer | undefined {
  if (Buffer.isBuffer(value)) return calls.length === 0 ? value : undefined;
  const isText = typeof value === 'string' && calls.length === 1 && calls[0] === TEXT_TO_BYTES;
  return isText ? Buffer.from(value) : undefined;
}

function distinct(derivations: readonly Derivation[]): Derivation[] {
  const byKey = new Map<string, Derivation>();
  for (const one of derivations) {
    const key = `${one.salt.toString('hex')} ${one.rounds}`;
    if (!byKey.has(key)) byKey.set(key, one);
  }
  return [...byKey.values()].slice(0, MAX_DERIVATIONS);
}
