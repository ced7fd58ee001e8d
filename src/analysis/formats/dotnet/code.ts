import type { DotnetFile, DotnetMethod } from './file.ts';
import { decodeIl, type Instruction, readBody } from './il.ts';

/** A method and what it does, step by step. */
export interface Code {
  readonly method: DotnetMethod;
  readonly steps: readonly Instruction[];
}

/** A test of one step, or the name of an instruction (`ldc.i4` stands for all of its short forms). */
export type StepTest = string | ((step: Instruction) => boolean);

/** Which methods to look at. */
export type MethodTest = (method: DotnetMethod) => boolean;

/**
 * How much code is read in all. Methods of an honest file do not share their bodies and the largest known
 * libraries have a fraction of this; a hundred thousand methods that point into one body would be read for hours.
 */
const MAX_CODE_BYTES = 16 * 1024 * 1024;
/** Of one method: its steps are held in memory together. */
const MAX_METHOD_BYTES = 1024 * 1024;

/** Each method that has a body, in table order. */
export function* codeOf(file: DotnetFile, test: MethodTest = () => true): Generator<Code> {
  let left = Math.min(file.image.reader.length, MAX_CODE_BYTES);
  const seen = new Set<number>();
  for (const method of file.methods) {
    const { bodyOffset } = method;
    if (bodyOffset === undefined || seen.has(bodyOffset) || !test(method)) continue;
    seen.add(bodyOffset);
    const body = readBody(file.image.reader, bodyOffset);
    if (body === undefined) continue;
    const code = body.code.subarray(0, MAX_METHOD_BYTES);
    left -= code.length;
    if (left < 0) return;
    yield { method, steps: [...decodeIl({ ...body, code })] };
  }
}

/**
 * Every place where these steps follow each other (`nop` between them does not count), such as
 * `['ldsfld', 'ldc.i4', 'newobj']`. What their tokens mean, `memberOf` tells.
 */
export function* findSequences(
  file: DotnetFile,
  tests: readonly StepTest[],
  method?: MethodTest,
): Generator<Code> {
  for (const code of codeOf(file, method)) {
    const steps = code.steps.filter(({ name }) => name !== 'nop');
    for (let at = 0; at + tests.length <= steps.length; at += 1) {
      if (tests.every((test, place) => passes(test, steps[at + place]))) {
        yield { method: code.method, steps: steps.slice(at, at + tests.length) };
      }
    }
  }
}

function passes(test: StepTest, step: Instruction | undefined): boolean {
  if (step === undefined) return false;
  return typeof test === 'string' ? step.name === test : test(step);
}
