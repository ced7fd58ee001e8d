import { codeOf, type MethodTest } from './code.ts';
import { type FieldStore, finalStores } from './field-stores.ts';
import type { DotnetFile } from './file.ts';
import type { UserString } from './heaps.ts';
import { MethodCalls } from './method-calls.ts';
import { StackMachine } from './stack-machine.ts';
import type { ConstantStore } from './stack-values.ts';

const MAX_STORES = 50_000;

const isConstructor: MethodTest = ({ name }) => name === '.cctor' || name === '.ctor';

/**
 * The constants that are in fields after the constructors, in the order of the code; with a test,
 * after the accepted methods. Methods that a constructor calls to initialize its type are inlined.
 */
export function constantsOf(file: DotnetFile, test: MethodTest = isConstructor): ConstantStore[] {
  const stores: ConstantStore[] = [];
  const calls = new MethodCalls(file);
  for (const { method, steps } of codeOf(file, test)) {
    const machine = new StackMachine(file, method, calls);
    const ofMethod: FieldStore[] = [];
    for (const step of isConstructor(method) ? calls.inlined(method, steps) : steps) {
      const store = machine.run(step);
      if (store !== undefined) ofMethod.push(store);
    }
    for (const store of finalStores(ofMethod)) stores.push(store);
    if (stores.length >= MAX_STORES) break;
  }
  return stores.slice(0, MAX_STORES);
}

/** Every literal of the program in the order of the heap, used by code or not. */
export function userStrings(file: DotnetFile): UserString[] {
  return [...file.metadata.heaps.userStrings()];
}
