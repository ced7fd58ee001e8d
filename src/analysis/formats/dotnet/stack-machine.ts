import type { FieldStore } from './field-stores.ts';
import type { DotnetFile, DotnetMethod } from './file.ts';
import { branchTarget, type Instruction } from './il.ts';
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
/** The longest array filled by element; compilers initialize longer ones from field data. */
const MAX_ELEMENTS = 1_024;
const INITIALIZE_ARRAY = 'System.Runtime.CompilerServices.RuntimeHelpers::InitializeArray';
/** Some compilers load this field instead of the literal `""`. */
const STRING_EMPTY = 'System.String::Empty';
const BYTE_TYPES = new Set(['System.Byte', 'System.SByte']);

/**
 * Interprets the instructions that carry constants into fields, with an evaluation stack and
 * locals. Any other instruction (branches, arithmetic) and every target of a branch clears both, so
 * that every result is certain: after `a ? b : c`, the value is unknown.
 */
export class StackMachine {
  readonly #file: DotnetFile;
  readonly #method: DotnetMethod;
  readonly #calls: MethodCalls;
  readonly #locals = new Map<number, StackValue>();
  #stack: StackValue[] = [];
  /** Targets of forward branches that are not reached yet. Code before them may not run. */
  readonly #targets = new Set<number>();
  #block = 0;
  /** Whether code may not run for other reasons: a loop, a switch, or a return before the end. */
  #hasOtherPaths = false;
  /** The fields that were loaded since the stack was empty: those of the current statement. */
  readonly #loaded = new Set<string>();

  constructor(file: DotnetFile, method: DotnetMethod, calls: MethodCalls) {
    this.#file = file;
    this.#method = method;
    this.#calls = calls;
  }

  /** Executes one instruction. Returns the store, if it is one. */
  run(step: Instruction): FieldStore | undefined {
    this.#followBranches(step);
    if (this.#stack.length === 0) this.#loaded.clear();
    const { name, operand = 0 } = step;
    switch (name) {
      case 'stsfld':
        return this.#store(step, this.#stack.pop());
      case 'stfld': {
        const value = this.#stack.pop();
        return this.#store(step, value, { value: this.#stack.pop() });
      }
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
        this.#load(operand);
        this.#push(qualifiedName(this.#file, operand) === STRING_EMPTY ? known('') : undefined);
        break;
      case 'ldfld':
        this.#load(operand);
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
    else if (name === 'ldarg') this.#push({ argument: operand });
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

  /** A branch or the target of one ends a block: what follows may run without what precedes. */
  #followBranches(step: Instruction): void {
    const target = branchTarget(step);
    const isTarget = this.#targets.delete(step.offset);
    const isLoop = target !== undefined && target <= step.offset;
    const isReturn = step.name === 'ret' && this.#targets.size > 0;
    if (step.name === 'switch' || isLoop || isReturn) this.#hasOtherPaths = true;
    else if (target !== undefined) this.#targets.add(target);
    if (isTarget) this.#clear();
    if (isTarget || target !== undefined || step.name === 'switch') this.#block += 1;
  }

  #load(token: number): void {
    const member = memberOf(this.#file, token);
    if (member !== undefined) this.#loaded.add(fieldKey(member));
  }

  /** `object` is `undefined` for a static field. */
  #store(
    { operand = 0, offset }: Instruction,
    value: StackValue,
    object?: { readonly value: StackValue },
  ): FieldStore | undefined {
    const member = memberOf(this.#file, operand);
    if (member === undefined) return undefined;
    const key = fieldKey(member);
    return {
      key: object === undefined || isThis(object.value) ? key : undefined,
      block: this.#block,
      isCertain: this.#targets.size === 0 && !this.#hasOtherPaths,
      usesItself: this.#loaded.has(key),
      constant: isKnown(value)
        ? {
            type: member.type,
            field: propertyName(member.name),
            fieldToken: operand,
            ...{ value: value.value, calls: value.calls, inputs: value.inputs },
            result: value.result,
            method: this.#method.token,
            methodKind: METHOD_KINDS[this.#method.name] ?? 'other',
            offset,
            isChangedLater: false,
          }
        : undefined,
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
  #call(step: Instruction): FieldStore | undefined {
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
    if (member.name.startsWith('get_')) this.#loaded.add(fieldKey(member));
    if (method === INITIALIZE_ARRAY) this.#initializeArray(args);
    else if (shape.returns || name === 'newobj')
      this.#push(this.#calls.resultOf(step, method, args));
    else if (isSetter(member) && shape.parameters === 1)
      return this.#store(step, args.at(-1), takesThis ? { value: args[0] } : undefined);
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
const UNKNOWN_LOADS = new Set(['ldarga', 'ldloca', 'ldsflda', 'ldftn']);
/** Conversions of the top value, and instructions without effect. */
const KEEPS_STACK = /^(?:nop$|conv\.|box$|unbox\.any$|castclass$|isinst$|volatile\.$|unaligned\.$)/;

/** `Hosts` for `<Hosts>k__BackingField` and for the accessors `set_Hosts` and `get_Hosts`. */
function propertyName(name: string): string {
  return /^<(.+)>k__BackingField$/.exec(name)?.[1] ?? name.replace(/^[gs]et_(?=.)/, '');
}

/** The same for a property and its backing field. Obfuscated fields may have equal names. */
function fieldKey({ token, type, name }: Member): string {
  const property = propertyName(name);
  return property === name ? token.toString() : `${type}::${property}`;
}

function isThis(value: StackValue): boolean {
  return value !== undefined && 'argument' in value && value.argument === 0;
}

function isSetter({ token, name }: Member): boolean {
  return token >>> 24 === TABLE.method && name.startsWith('set_');
}
