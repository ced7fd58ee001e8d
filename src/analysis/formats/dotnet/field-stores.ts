import type { ConstantStore } from './stack-values.ts';

/** A store of any value in a field. */
export interface FieldStore {
  /**
   * Identifies the field; `undefined` if it is a field of another object than the one under
   * construction, because several such objects may have different values.
   */
  readonly key: string | undefined;
  /** The block of the code: stores in different blocks need not both run. */
  readonly block: number;
  /** Whether it runs on every path through the method. */
  readonly isCertain: boolean;
  /** Whether the statement loads the field, too. */
  readonly usesItself: boolean;
  /** `undefined` if the value is not known. */
  readonly constant: ConstantStore | undefined;
}

/**
 * The constants that are in the fields at the end of a method. A field is at the index of its first
 * store. A field whose last value is unknown, or depends on a branch, is left out: a default that
 * the program replaces is not its setting.
 */
export function finalStores(stores: readonly FieldStore[]): ConstantStore[] {
  const byField = new Map<unknown, FieldStore[]>();
  for (const store of stores) {
    // Without a key, every store is a field of its own.
    const key = store.key ?? store;
    const others = byField.get(key);
    if (others === undefined) byField.set(key, [store]);
    else others.push(store);
  }
  return [...byField.values()].flatMap((ofField) => finalStore(ofField) ?? []);
}

function finalStore(stores: readonly FieldStore[]): ConstantStore | undefined {
  let last: FieldStore | undefined;
  let isChangedLater = false;
  for (const store of stores) {
    if (last !== undefined && isChange(store)) {
      isChangedLater = true;
      continue;
    }
    if (last !== undefined && !replaces(store, last)) return undefined;
    last = store;
    isChangedLater = false;
  }
  return last?.constant && { ...last.constant, isChangedLater };
}

/** `H = Decode(H)`: the earlier constant is the source of the value. */
function isChange({ usesItself, constant }: FieldStore): boolean {
  return usesItself && constant?.result === undefined;
}

/** Otherwise, only a value that is not set may be replaced: there is one alternative. */
function replaces(store: FieldStore, last: FieldStore): boolean {
  const before = last.constant?.result;
  return (
    store.isCertain ||
    store.block === last.block ||
    before === null ||
    before === '' ||
    (before !== undefined && before === store.constant?.result)
  );
}
