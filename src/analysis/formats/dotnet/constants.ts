import { codeOf, type MethodTest } from './code.ts';
import type { DotnetFile, DotnetMethod } from './file.ts';
import type { UserString } from './heaps.ts';
import { decodeIl, type Instruction, type MethodBody, readBody } from './il.ts';
import { ENCODINGS, KnownCalls, type TextEncoding } from './known-calls.ts';
import { callShape, fieldData, type Member, memberOf } from './members.ts';
import { TABLE } from './schema.ts';

/** Something that the program's text states as it is. */
export type Constant = string | number | null | Buffer | readonly Constant[];

/**
 * A constant that a program puts into a field. Settings of most families are a class whose static constructor
 * does little else.
 */
export interface ConstantStore {
  /** Name of the type that declares the field. */
  readonly type: string;
  /** Of a field that a compiler made for a property, or that only its setter knows, the property's name. */
  readonly field: string;
  /** Of the field, or of the setter. */
  readonly fieldToken: number;
  readonly value: Constant;
  /** What the value went through on its way (`System.Convert::FromBase64String`), the first call first. */
  readonly through: readonly string[];
  /** Everything that was given to those calls, `value` among it. */
  readonly given: readonly Constant[];
  /** What the field holds in the end; nothing where a call on the way is one that we cannot do. Without calls `value`. */
  readonly result: Constant | undefined;
  readonly method: number;
  readonly methodKind: 'cctor' | 'ctor' | 'other';
  /** Of the instruction that stores, in the file. */
  readonly offset: number;
}

const MAX_STORES = 50_000;
/** Deeper than compilers go; what lies below is forgotten. */
const MAX_STACK = 64;
/** Of arrays whose elements are stored one by one; compilers write longer ones as data of a field. */
const MAX_ELEMENTS = 1_024;
const MAX_GIVEN = 16;
/** Of all methods that constructors call for it: thousands of them may call the same one. */
const MAX_HELPER_BYTES = 2 * 1024 * 1024;
const INITIALIZE_ARRAY = 'System.Runtime.CompilerServices.RuntimeHelpers::InitializeArray';
/** What some compilers load for `""`. */
const EMPTY_TEXT = 'System.String::Empty';
const BYTES = new Set(['System.Byte', 'System.SByte']);

const isConstructor: MethodTest = ({ name }) => name === '.cctor' || name === '.ctor';

/**
 * What constructors store, in the order of the code, themselves or by methods of their class that they call for it; with
 * a test, what the methods that pass it store.
 */
export function constantsOf(file: DotnetFile, test: MethodTest = isConstructor): ConstantStore[] {
  const stores: ConstantStore[] = [];
  const calls = new OwnCalls(file);
  for (const { method, steps } of codeOf(file, test)) {
    const machine = new Machine(file, method, calls);
    for (const step of isConstructor(method) ? calls.withHelpers(method, steps) : steps) {
      const store = machine.run(step);
      if (store !== undefined) stores.push(store);
      if (stores.length === MAX_STORES) return stores;
    }
  }
  return stores;
}

/** Every literal of the program in the order in which the compiler met them, used or not. */
export function userStrings(file: DotnetFile): UserString[] {
  return [...file.metadata.heaps.userStrings()];
}

/** What may lie on the evaluation stack: what we know of it, or nothing. */
type Value = Known | FieldHandle | TextEncoding | undefined;

interface Known {
  readonly value: Constant;
  readonly through: readonly string[];
  readonly given: readonly Constant[];
  readonly result: Constant | undefined;
}

/** What `ldtoken` leaves: the field whose data an array is filled with. */
interface FieldHandle {
  readonly handle: number;
}

/**
 * Follows the few instructions that carry a constant into a field, on a stack of its own. Whatever else comes
 * (branches, arithmetic) empties it: what is told was seen, not guessed.
 */
class Machine {
  readonly #file: DotnetFile;
  readonly #method: DotnetMethod;
  readonly #calls: OwnCalls;
  readonly #locals = new Map<number, Value>();
  #stack: Value[] = [];

  constructor(file: DotnetFile, method: DotnetMethod, calls: OwnCalls) {
    this.#file = file;
    this.#method = method;
    this.#calls = calls;
  }

  run(step: Instruction): ConstantStore | undefined {
    const { name, operand = 0 } = step;
    switch (name) {
      case 'stsfld':
      case 'stfld':
        return this.#store(step, this.#stack.pop());
      case 'ldstr':
        this.#push(known(this.#file.metadata.heaps.userString(operand)?.text));
        break;
      case 'ldnull':
        this.#push(known(null));
        break;
      case 'dup':
        this.#push(this.#stack.at(-1));
        break;
      case 'pop':
        this.#stack.pop();
        break;
      case 'ldsfld':
        this.#push(titleOf(this.#file, operand) === EMPTY_TEXT ? known('') : undefined);
        break;
      case 'ldfld':
        this.#stack.splice(-1, 1, undefined);
        break;
      case 'ldtoken':
        this.#push({ handle: operand });
        break;
      case 'newarr':
        this.#newArray(operand);
        break;
      case 'call':
      case 'callvirt':
      case 'newobj':
        return this.#call(step);
      default:
        this.#runOther(name, operand);
    }
    return undefined;
  }

  #runOther(name: string, operand: number): void {
    if (name.startsWith('ldc.')) this.#push(known(operand));
    else if (name === 'stloc') this.#locals.set(operand, this.#stack.pop());
    else if (name === 'ldloc') this.#push(this.#locals.get(operand));
    else if (name.startsWith('stelem')) this.#storeElement();
    else if (LOADS.has(name)) this.#push(undefined);
    else if (!KEEPS.test(name)) this.#forget();
    // Whoever has its address may change it.
    if (name === 'ldloca') this.#locals.delete(operand);
  }

  #forget(): void {
    this.#stack = [];
    this.#locals.clear();
  }

  #push(value: Value): void {
    if (this.#stack.length === MAX_STACK) this.#stack.shift();
    this.#stack.push(value);
  }

  #store({ name, operand = 0, offset }: Instruction, value: Value): ConstantStore | undefined {
    if (name === 'stfld') this.#stack.pop();
    const member = memberOf(this.#file, operand);
    if (!isKnown(value) || member === undefined) return undefined;
    return {
      type: member.type,
      field: propertyName(member.name),
      fieldToken: operand,
      value: value.value,
      through: value.through,
      given: value.given,
      result: value.result,
      method: this.#method.token,
      methodKind: KINDS[this.#method.name] ?? 'other',
      offset,
    };
  }

  /** A longer one is not known until it is filled from data. */
  #newArray(elementType: number): void {
    const count = constantOf(this.#stack.pop());
    const isShort = typeof count === 'number' && count >= 0 && count <= MAX_ELEMENTS;
    if (!isShort) this.#push(undefined);
    else if (BYTES.has(memberOf(this.#file, elementType)?.type ?? '')) {
      this.#push(known(Buffer.alloc(count)));
    } else this.#push(known(new Array<Constant>(count).fill(null)));
  }

  /** Array, index and value: `dup` left the same array below, which sees the change. */
  #storeElement(): void {
    const [into, at, what] = this.#pop(3).map(constantOf);
    if (typeof at !== 'number' || what === undefined) return;
    const isElement = Array.isArray(into) || Buffer.isBuffer(into);
    if (!isElement || at < 0 || at >= into.length) return;
    into[at] = Buffer.isBuffer(into) ? Number(what) & 0xff : what;
  }

  /** A setter of the program's own stores as well as a field does. */
  #call(step: Instruction): ConstantStore | undefined {
    const { name, operand = 0 } = step;
    const shape = callShape(this.#file, operand);
    const member = memberOf(this.#file, operand);
    if (shape === undefined || member === undefined) {
      this.#forget();
      return undefined;
    }
    const takesThis = shape.hasThis && name !== 'newobj';
    const taken = this.#pop(shape.parameters + (takesThis ? 1 : 0));
    const title = titleOf(this.#file, operand);
    if (title === INITIALIZE_ARRAY) this.#initialise(taken);
    else if (shape.returns || name === 'newobj')
      this.#push(this.#calls.resultOf(step, title, taken));
    else if (isSetter(member) && shape.parameters === 1) return this.#store(step, taken.at(-1));
    return undefined;
  }

  /** The array that `dup` left below is the one that is filled. Numbers stay the bytes that they are in the file. */
  #initialise([, handle]: readonly Value[]): void {
    if (handle === undefined || !('handle' in handle)) return;
    const data = fieldData(this.#file, handle.handle);
    if (data === undefined || this.#stack.length === 0) return;
    this.#stack.pop();
    this.#push(known(data));
  }

  #pop(count: number): Value[] {
    if (count > this.#stack.length) {
      this.#forget();
      return [];
    }
    return count === 0 ? [] : this.#stack.splice(-count);
  }
}

const KINDS: Readonly<Record<string, ConstantStore['methodKind']>> = {
  '.cctor': 'cctor',
  '.ctor': 'ctor',
};
/** They leave one value that is not known here. */
const LOADS = new Set(['ldarg', 'ldarga', 'ldloca', 'ldsflda', 'ldftn']);
/** One value becomes another form of itself, or nothing happens. */
const KEEPS = /^(?:nop$|conv\.|box$|unbox\.any$|castclass$|isinst$|volatile\.$|unaligned\.$)/;

function titleOf(file: DotnetFile, token: number): string {
  const member = memberOf(file, token);
  return member === undefined ? '' : `${member.type}::${member.name}`;
}

function known(value: Constant | undefined): Value {
  return value === undefined ? undefined : { value, through: [], given: [], result: value };
}

function isKnown(value: Value): value is Known {
  return value !== undefined && 'value' in value;
}

function constantOf(value: Value): Constant | undefined {
  return isKnown(value) ? value.value : undefined;
}

/** `<Hosts>k__BackingField`, or a setter `set_Hosts`. */
function propertyName(name: string): string {
  return /^<(.+)>k__BackingField$/.exec(name)?.[1] ?? name.replace(/^set_(?=.)/, '');
}

function isSetter({ token, name }: Member): boolean {
  return token >>> 24 === TABLE.method && name.startsWith('set_');
}

/** What calls make of what they are given, and what those of the program itself do. */
class OwnCalls {
  readonly #file: DotnetFile;
  readonly #known = new KnownCalls();
  readonly #simple = new Map<number, Instruction | undefined>();
  #helperBytesLeft = MAX_HELPER_BYTES;

  constructor(file: DotnetFile) {
    this.#file = file;
  }

  resultOf({ name, operand = 0 }: Instruction, title: string, taken: readonly Value[]): Value {
    const simple = name === 'call' ? this.#simpleStep(operand) : undefined;
    if (simple?.name === 'ldstr')
      return known(this.#file.metadata.heaps.userString(simple.operand ?? 0)?.text);
    if (simple?.name === 'ldarg') return taken[simple.operand ?? 0];
    const encoding = ENCODINGS.get(title);
    if (encoding !== undefined) return encoding;
    const through = passedThrough(title, taken);
    return through && { ...through, result: this.#known.resultOf(title, taken.map(resultOf)) };
  }

  /** The steps, and behind a call of a method of the same class that takes and gives nothing those of that method. */
  *withHelpers({ type }: DotnetMethod, steps: readonly Instruction[]): Generator<Instruction> {
    const seen = new Set<number>();
    for (const step of steps) {
      yield step;
      const { name, operand = 0 } = step;
      if (name !== 'call' || seen.has(operand) || !this.#isHelper(operand, type)) continue;
      seen.add(operand);
      const body = this.#bodyOf(operand);
      this.#helperBytesLeft -= body?.code.length ?? 0;
      if (body !== undefined && this.#helperBytesLeft >= 0) yield* decodeIl(body);
    }
  }

  #isHelper(method: number, type: string): boolean {
    if (method >>> 24 !== TABLE.method) return false;
    const member = memberOf(this.#file, method);
    if (member === undefined || member.type !== type || member.name.startsWith('.')) return false;
    const shape = callShape(this.#file, method);
    return shape?.parameters === 0 && !shape.returns;
  }

  #bodyOf(method: number): MethodBody | undefined {
    const { bodyOffset } = this.#file.methods[(method & 0xffffff) - 1] ?? {};
    return bodyOffset === undefined ? undefined : readBody(this.#file.image.reader, bodyOffset);
  }

  /** The one step of a method that does nothing but give a text, or back what it was given. */
  #simpleStep(method: number): Instruction | undefined {
    if (method >>> 24 !== TABLE.method) return undefined;
    if (!this.#simple.has(method)) this.#simple.set(method, this.#readSimple(method));
    return this.#simple.get(method);
  }

  #readSimple(method: number): Instruction | undefined {
    const body = this.#bodyOf(method);
    if (body === undefined || body.code.length > LONGEST_SIMPLE) return undefined;
    const [step, ...rest] = [...decodeIl(body)].filter(({ name }) => name !== 'nop');
    const isSimple = step?.name === 'ldstr' || step?.name === 'ldarg';
    return isSimple && GIVES_BACK.has(rest.map(({ name }) => name).join(' ')) ? step : undefined;
  }
}

/** Of such a method, with what compilers put in for debuggers. */
const LONGEST_SIMPLE = 32;
const GIVES_BACK = new Set(['ret', 'stloc br ldloc ret']);

function resultOf(value: Value): Constant | TextEncoding | undefined {
  if (isKnown(value)) return value.result;
  return value !== undefined && 'encoding' in value ? value : undefined;
}

/** Of several arguments the first text or array counts as the one that went through, else the first known one. */
function passedThrough(title: string, taken: readonly Value[]): Omit<Known, 'result'> | undefined {
  const inputs = taken.filter(isKnown);
  const main = inputs.find(({ value }) => typeof value === 'object' || typeof value === 'string');
  const chosen = main ?? inputs[0];
  if (chosen === undefined) return undefined;
  return {
    value: chosen.value,
    through: [...chosen.through, title].slice(-MAX_GIVEN),
    given: inputs
      .flatMap(({ value, given }) => (given.length === 0 ? [value] : given))
      .slice(0, MAX_GIVEN),
  };
}
