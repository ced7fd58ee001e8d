import type { TextEncoding } from './known-calls.ts';

/** A value that the program states literally. */
export type Constant = string | number | null | Buffer | readonly Constant[];

/** A constant that code stores in a field, directly or through calls. */
export interface ConstantStore {
  /** Name of the type that declares the field. */
  readonly type: string;
  /**
   * The property's name, if the field is its backing field or the store is a call of its setter.
   */
  readonly field: string;
  /** Token of the field or of the setter. */
  readonly fieldToken: number;
  readonly value: Constant;
  /** The calls that the value passed through, in order: `System.Convert::FromBase64String`. */
  readonly calls: readonly string[];
  /** All known arguments of those calls, `value` among them. */
  readonly inputs: readonly Constant[];
  /** The field's final value; `undefined` if a call is not evaluated. Without calls, `value`. */
  readonly result: Constant | undefined;
  /** Token of the method that stores. */
  readonly method: number;
  readonly methodKind: 'cctor' | 'ctor' | 'other';
  /** The file offset of the storing instruction. */
  readonly offset: number;
  /** Whether later code of the method changes the value, in a way that is not evaluated. */
  readonly isChangedLater: boolean;
}

/** A value on the evaluation stack; `undefined` if it is not a known constant. */
export type StackValue = KnownValue | FieldHandle | TextEncoding | Argument | undefined;

export type KnownValue = Pick<ConstantStore, 'value' | 'calls' | 'inputs' | 'result'>;

/** The result of `ldtoken`: a field whose data initializes an array. */
export interface FieldHandle {
  readonly handle: number;
}

/** An argument of the method. In an instance constructor, 0 is the object that it initializes. */
export interface Argument {
  readonly argument: number;
}

export function known(value: Constant | undefined): StackValue {
  return value === undefined ? undefined : { value, calls: [], inputs: [], result: value };
}

export function isKnown(value: StackValue): value is KnownValue {
  return value !== undefined && 'value' in value;
}

export function constantOf(value: StackValue): Constant | undefined {
  return isKnown(value) ? value.value : undefined;
}
