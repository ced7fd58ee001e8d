import { codeOf, type MethodTest } from './code.ts';
import type { DotnetFile } from './file.ts';
import type { UserString } from './heaps.ts';
import { MethodCalls } from './method-calls.ts';
import { StackMachine } from './stack-machine.ts';
import type { ConstantStore } from './stack-values.ts';

const MAX_STORES = 50_000;

const isConstructor: MethodTest = ({ name }) => name === '.cctor' || name === '.ctor';

/**
 * The constants that constructors store in fields, in the order of the code; with a test, those
 * that the accepted methods store. Methods that a constructor calls to initialize its type are
 * inlined.
 */
export function constantsOf(file: DotnetFile, test: MethodTest = isConstructor): ConstantStore[] {
  const stores: ConstantStore[] = [];
  const calls = new MethodCalls(file);
  for (const { method, steps } of codeOf(file, test)) {
    const machine = new StackMachine(file, method, calls);
    for (const step of isConstructor(method) ? calls.inlined(method, steps) : steps) {
      const store = machine.run(step);
      if (store !== undefined) stores.push(store);
      if (stores.length === MAX_STORES) return stores;
    }
  }
  return stores;
}

/** Every literal of the program in the order of the heap, used by code or not. */
export function userStrings(file: DotnetFile): UserString[] {
  return [...file.metadata.heaps.userStrings()];
}
