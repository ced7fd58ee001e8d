import { codeOf, type MethodTest } from './code.ts';
import type { DotnetFile, DotnetMethod } from './file.ts';
import type { UserString } from './heaps.ts';
import type { Instruction } from './il.ts';
import { callShape, fieldData, memberOf } from './members.ts';

/** Something that the program's text states as it is. */
export type Constant = string | number | null | Buffer | readonly Constant[];

/**
 * A constant that a program puts into a field. Settings of most families are a class whose static constructor
 * does little else.
 */
export interface ConstantStore {
  /** Name of the type that declares the field. */
  readonly type: string;
  readonly field: string;
  readonly fieldToken: number;
  readonly value: Constant;
  /** What the value went through on its way (`System.Convert::FromBase64String`), the first call first. */
  readonly through: readonly string[];
  /** Everything that was given to those calls, `value` among it. */
  readonly given: readonly Constant[];
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
const INITIALIZE_ARRAY = 'System.Runtime.CompilerServices.RuntimeHelpers::InitializeArray';
/** What some compilers load for `""`. */
const EMPTY_TEXT = 'System.String::Empty';
const BYTES = new Set(['System.Byte', 'System.SByte']);

const isConstructor: MethodTest = ({ name }) => name === '.cctor' || name === '.ctor';

/** What constructors store, in the order of the code; with a test, what the methods that pass it store. */
export function constantsOf(file: DotnetFile, test: MethodTest = isConstructor): ConstantStore[] {
  const stores: ConstantStore[] = [];
  for (const { method, steps } of codeOf(file, test)) {
    const machine = new Machine(file, method);
    for (const step of steps) {
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
type Value = Known | FieldHandle | undefined;

interface Known {
  readonly value: Constant;
  readonly through: readonly string[];
  readonly given: readonly Constant[];
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
  #stack: Value[] = [];

  constructor(file: DotnetFile, method: DotnetMethod) {
    this.#file = file;
    this.#method = method;
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
        this.#call(step);
        break;
      default:
        this.#runOther(name, operand);
    }
    return undefined;
  }

  #runOther(name: string, operand: number): void {
    if (name.startsWith('ldc.')) this.#push(known(operand));
    else if (name.startsWith('stelem')) this.#storeElement();
    else if (LOADS.has(name)) this.#push(undefined);
    else if (!KEEPS.test(name)) this.#stack = [];
  }

  #push(value: Value): void {
    if (this.#stack.length === MAX_STACK) this.#stack.shift();
    this.#stack.push(value);
  }

  #store({ name, operand = 0, offset }: Instruction, value: Value): ConstantStore | undefined {
    if (name === 'stfld') this.#stack.pop();
    const member = memberOf(this.#file, operand);
    if (value === undefined || 'handle' in value || member === undefined) return undefined;
    return {
      type: member.type,
      field: member.name,
      fieldToken: operand,
      value: value.value,
      through: value.through,
      given: value.given,
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

  #call({ name, operand = 0 }: Instruction): void {
    const shape = callShape(this.#file, operand);
    const member = memberOf(this.#file, operand);
    if (shape === undefined || member === undefined) {
      this.#stack = [];
      return;
    }
    const takesThis = shape.hasThis && name !== 'newobj';
    const taken = this.#pop(shape.parameters + (takesThis ? 1 : 0));
    const title = titleOf(this.#file, operand);
    if (title === INITIALIZE_ARRAY) this.#initialise(taken);
    else if (shape.returns || name === 'newobj') this.#push(passedThrough(title, taken));
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
      this.#stack = [];
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
const LOADS = new Set(['ldarg', 'ldarga', 'ldloc', 'ldloca', 'ldsflda', 'ldftn']);
/** One value becomes another form of itself, or nothing happens. */
const KEEPS = /^(?:nop$|conv\.|box$|unbox\.any$|castclass$|isinst$|volatile\.$|unaligned\.$)/;

function titleOf(file: DotnetFile, token: number): string {
  const member = memberOf(file, token);
  return member === undefined ? '' : `${member.type}::${member.name}`;
}

function known(value: Constant | undefined): Value {
  return value === undefined ? undefined : { value, through: [], given: [] };
}

function constantOf(value: Value): Constant | undefined {
  return value === undefined || 'handle' in value ? undefined : value.value;
}

/** Of several arguments the first text or array counts as the one that went through, else the first known one. */
function passedThrough(title: string, taken: readonly Value[]): Value {
  const inputs = taken.filter((value): value is Known => value !== undefined && 'value' in value);
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
