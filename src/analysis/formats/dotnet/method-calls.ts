import type { DotnetFile, DotnetMethod } from './file.ts';
import { decodeIl, type Instruction, type MethodBody, readBody } from './il.ts';
import { ENCODINGS, KnownCalls, type TextEncoding } from './known-calls.ts';
import { callShape, memberOf } from './members.ts';
import { TABLE } from './schema.ts';
import { type Constant, isKnown, type KnownValue, known, type StackValue } from './stack-values.ts';

const MAX_INPUTS = 16;
/** Limit on the code of all inlined methods: thousands of constructors may call the same one. */
const MAX_INLINED_BYTES = 2 * 1024 * 1024;
/** A method with one effective instruction, including what compilers add for debuggers. */
const MAX_TRIVIAL_BYTES = 32;
const TRIVIAL_ENDINGS = new Set(['ret', 'stloc br ldloc ret']);

/** Evaluates calls: known framework methods, and methods of the program that are simple enough. */
export class MethodCalls {
  readonly #file: DotnetFile;
  readonly #framework = new KnownCalls();
  readonly #trivial = new Map<number, Instruction | undefined>();
  #inlinedBytesLeft = MAX_INLINED_BYTES;

  constructor(file: DotnetFile) {
    this.#file = file;
  }

  /** `method` is `Type::Name` of the callee. */
  resultOf(
    { name, operand = 0 }: Instruction,
    method: string,
    args: readonly StackValue[],
  ): StackValue {
    const trivial = name === 'call' ? this.#trivialStep(operand) : undefined;
    if (trivial?.name === 'ldstr')
      return known(this.#file.metadata.heaps.userString(trivial.operand ?? 0)?.text);
    if (trivial?.name === 'ldarg') return args[trivial.operand ?? 0];
    const encoding = ENCODINGS.get(method);
    if (encoding !== undefined) return encoding;
    const traced = traceCall(method, args);
    return traced && { ...traced, result: this.#framework.resultOf(method, args.map(resultOf)) };
  }

  /**
   * Inlines calls of methods of the same type that have no parameter and no result, one level deep.
   */
  *inlined({ type }: DotnetMethod, steps: readonly Instruction[]): Generator<Instruction> {
    const seen = new Set<number>();
    for (const step of steps) {
      yield step;
      const { name, operand = 0 } = step;
      if (name !== 'call' || seen.has(operand) || !this.#isInlinable(operand, type)) continue;
      seen.add(operand);
      const body = this.#bodyOf(operand);
      this.#inlinedBytesLeft -= body?.code.length ?? 0;
      if (body !== undefined && this.#inlinedBytesLeft >= 0) yield* decodeIl(body);
    }
  }

  #isInlinable(method: number, type: string): boolean {
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

  /** The effective instruction of a method that only returns a literal or one of its arguments. */
  #trivialStep(method: number): Instruction | undefined {
    if (method >>> 24 !== TABLE.method) return undefined;
    if (!this.#trivial.has(method)) this.#trivial.set(method, this.#readTrivial(method));
    return this.#trivial.get(method);
  }

  #readTrivial(method: number): Instruction | undefined {
    const body = this.#bodyOf(method);
    if (body === undefined || body.code.length > MAX_TRIVIAL_BYTES) return undefined;
    const [step, ...rest] = [...decodeIl(body)].filter(({ name }) => name !== 'nop');
    const isLoad = step?.name === 'ldstr' || step?.name === 'ldarg';
    const ending = rest.map(({ name }) => name).join(' ');
    return isLoad && TRIVIAL_ENDINGS.has(ending) ? step : undefined;
  }
}

function resultOf(value: StackValue): Constant | TextEncoding | undefined {
  if (isKnown(value)) return value.result;
  return value !== undefined && 'encoding' in value ? value : undefined;
}

/** Follows the first text or array among the arguments, else the first known argument. */
function traceCall(
  method: string,
  args: readonly StackValue[],
): Omit<KnownValue, 'result'> | undefined {
  const knownArgs = args.filter(isKnown);
  const main = knownArgs.find(
    ({ value }) => typeof value === 'object' || typeof value === 'string',
  );
  const traced = main ?? knownArgs[0];
  if (traced === undefined) return undefined;
  return {
    value: traced.value,
    calls: [...traced.calls, method].slice(-MAX_INPUTS),
    inputs: knownArgs
      .flatMap(({ value, inputs }) => (inputs.length === 0 ? [value] : inputs))
      .slice(0, MAX_INPUTS),
  };
}
