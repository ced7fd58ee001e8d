import type { DotnetFile, DotnetMethod } from './file.ts';
import { decodeIl, type Instruction, readBody } from './il.ts';

/** A method and its decoded instructions. */
export interface Code {
  readonly method: DotnetMethod;
  readonly steps: readonly Instruction[];
}

/** A predicate, or the name of an instruction (`ldc.i4` includes its short forms). */
export type StepTest = string | ((step: Instruction) => boolean);

export type MethodTest = (method: DotnetMethod) => boolean;

/**
 * Limit on the code read from one file. The largest known libraries have a fraction of it. Without
 * a limit, a hundred thousand methods with overlapping bodies would take hours.
 */
const MAX_CODE_BYTES = 16 * 1024 * 1024;
/** Limit of one method: its instructions are in memory together. */
const MAX_METHOD_BYTES = 1024 * 1024;

/** The methods that have a body, in table order. A body that methods share is decoded once. */
export function* codeOf(file: DotnetFile, test: MethodTest = () => true): Generator<Code> {
  let bytesLeft = Math.min(file.image.reader.length, MAX_CODE_BYTES);
  const seen = new Set<number>();
  for (const method of file.methods) {
    const { bodyOffset } = method;
    if (bodyOffset === undefined || seen.has(bodyOffset) || !test(method)) continue;
    seen.add(bodyOffset);
    const body = readBody(file.image.reader, bodyOffset);
    if (body === undefined) continue;
    const code = body.code.subarray(0, MAX_METHOD_BYTES);
    bytesLeft -= code.length;
    if (bytesLeft < 0) return;
    yield { method, steps: [...decodeIl({ ...body, code })] };
  }
}

/**
 * Every occurrence of a sequence of instructions such as `['ldsfld', 'ldc.i4', 'newobj']`, ignoring
 * `nop`. Use `memberOf` to resolve tokens.
 */
export function* findSequences(
  file: DotnetFile,
  tests: readonly StepTest[],
  method?: MethodTest,
): Generator<Code> {
  for (const code of codeOf(file, method)) {
    const steps = code.steps.filter(({ name }) => name !== 'nop');
    for (let start = 0; start + tests.length <= steps.length; start += 1) {
      if (tests.every((test, index) => passes(test, steps[start + index]))) {
        yield { method: code.method, steps: steps.slice(start, start + tests.length) };
      }
    }
  }
}

function passes(test: StepTest, step: Instruction | undefined): boolean {
  if (step === undefined) return false;
  return typeof test === 'string' ? step.name === test : test(step);
}
