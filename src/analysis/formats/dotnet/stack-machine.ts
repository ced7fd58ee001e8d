import type { DotnetFile, DotnetMethod } from './file.ts';
import type { Instruction } from './il.ts';
import { callShape, fieldData, type Member, memberOf, qualifiedName } from './members.ts';
import type { MethodCalls } from './method-calls.ts';
import { TABLE } from './schema.ts';
import {
  type Constant,
  type ConstantStore,
  constantOf,
  isKnown,
  known,
  type StackValue,
} from './stack-values.ts';

/** Deeper than compilers go. The bottom value is dropped beyond it. */
const MAX_STACK = 64;
/** Of arrays filled element by element; compilers initialize longer ones from field data. */
const MAX_ELEMENTS = 1_024;
const INITIALIZE_ARRAY = 'System.Runtime.CompilerServices.RuntimeHelpers::InitializeArray';
/** Some compilers load this field instead of the literal `""`. */
const STRING_EMPTY = 'System.String::Empty';
const BYTE_TYPES = new Set(['System.Byte', 'System.SByte']);

/**
 * Interprets the instructions that carry constants into fields, with an evaluation stack and
 * locals. Any other instruction (branches, arithmetic) clears both, so that every result is
 * certain.
 */
export class StackMachine {
  readonly #file: DotnetFile;
  readonly #method: DotnetMethod;
  readonly #calls: MethodCalls;
  readonly #locals = new Map<number, StackValue>();
  #stack: StackValue[] = [];

  constructor(file: DotnetFile, method: DotnetMethod, calls: MethodCalls) {
    this.#file = file;
    this.#method = method;
    this.#calls = calls;
  }

  /** Executes one instruction. Returns the store, if it is one of a known constant. */
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
        this.#push(qualifiedName(this.#file, operand) === STRING_EMPTY ? known('') : undefined);
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
    else if (UNKNOWN_LOADS.has(name)) this.#push(undefined);
    else if (!KEEPS_STACK.test(name)) this.#clear();
    // The local may change through its address.
    if (name === 'ldloca') this.#locals.delete(operand);
  }

  #clear(): void {
    this.#stack = [];
    this.#locals.clear();
  }

  #push(value: StackValue): void {
    if (this.#stack.length === MAX_STACK) this.#stack.shift();
    this.#stack.push(value);
  }

  #store({ name, operand = 0, offset }: Instruction, value: StackValue): ConstantStore | undefined {
    if (name === 'stfld') this.#stack.pop();
    const member = memberOf(this.#file, operand);
    if (!isKnown(value) || member === undefined) return undefined;
    return {
      type: member.type,
      field: propertyName(member.name),
      fieldToken: operand,
      value: value.value,
      calls: value.calls,
      inputs: value.inputs,
      result: value.result,
      method: this.#method.token,
      methodKind: METHOD_KINDS[this.#method.name] ?? 'other',
      offset,
    };
  }

  /** A longer array stays unknown until it is initialized from field data. */
  #newArray(elementType: number): void {
    const count = constantOf(this.#stack.pop());
    const isShort = typeof count === 'number' && count >= 0 && count <= MAX_ELEMENTS;
    if (!isShort) this.#push(undefined);
    else if (BYTE_TYPES.has(memberOf(this.#file, elementType)?.type ?? '')) {
      this.#push(known(Buffer.alloc(count)));
    } else this.#push(known(new Array<Constant>(count).fill(null)));
  }

  /**
   * Pops array, index and value. The array is mutated: `dup` left a reference to it on the stack.
   */
  #storeElement(): void {
    const [array, index, value] = this.#pop(3).map(constantOf);
    if (typeof index !== 'number' || value === undefined) return;
    const isArray = Array.isArray(array) || Buffer.isBuffer(array);
    if (!isArray || index < 0 || index >= array.length) return;
    array[index] = Buffer.isBuffer(array) ? Number(value) & 0xff : value;
  }

  /** A call of a setter of the program counts as a store of its field. */
  #call(step: Instruction): ConstantStore | undefined {
    const { name, operand = 0 } = step;
    const shape = callShape(this.#file, operand);
    const member = memberOf(this.#file, operand);
    if (shape === undefined || member === undefined) {
      this.#clear();
      return undefined;
    }
    const takesThis = shape.hasThis && name !== 'newobj';
    const args = this.#pop(shape.parameters + (takesThis ? 1 : 0));
    const method = qualifiedName(this.#file, operand);
    if (method === INITIALIZE_ARRAY) this.#initializeArray(args);
    else if (shape.returns || name === 'newobj')
      this.#push(this.#calls.resultOf(step, method, args));
    else if (isSetter(member) && shape.parameters === 1) return this.#store(step, args.at(-1));
    return undefined;
  }

  /** Replaces the array that `dup` left on the stack. Elements keep their bytes as in the file. */
  #initializeArray([, handle]: readonly StackValue[]): void {
    if (handle === undefined || !('handle' in handle)) return;
    const data = fieldData(this.#file, handle.handle);
    if (data === undefined || this.#stack.length === 0) return;
    this.#stack.pop();
    this.#push(known(data));
  }

  #pop(count: number): StackValue[] {
    if (count > this.#stack.length) {
      this.#clear();
      return [];
    }
    return count === 0 ? [] : this.#stack.splice(-count);
  }
}

const METHOD_KINDS: Readonly<Record<string, ConstantStore['methodKind']>> = {
  '.cctor': 'cctor',
  '.ctor': 'ctor',
};
/** Instructions that push one value of unknown content. */
const UNKNOWN_LOADS = new Set(['ldarg', 'ldarga', 'ldloca', 'ldsflda', 'ldftn']);
/** Conversions of the top value, and instructions without effect. */
const KEEPS_STACK = /^(?:nop$|conv\.|box$|unbox\.any$|castclass$|isinst$|volatile\.$|unaligned\.$)/;

/** `Hosts` for `<Hosts>k__BackingField` and for the setter `set_Hosts`. */
function propertyName(name: string): string {
  return /^<(.+)>k__BackingField$/.exec(name)?.[1] ?? name.replace(/^set_(?=.)/, '');
}

function isSetter({ token, name }: Member): boolean {
  return token >>> 24 === TABLE.method && name.startsWith('set_');
}
