/** A cache of values that are needed repeatedly. It evicts all of them when it is full. */
export class Remembered<Value> {
  readonly #limit: number;
  readonly #values = new Map<string, Value>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  get(key: string, make: () => Value): Value {
    let value = this.#values.get(key);
    if (value === undefined) {
      value = make();
      if (this.#values.size >= this.#limit) this.#values.clear();
      this.#values.set(key, value);
    }
    return value;
  }
}

/**
 * The keys that were added last, in two generations: deleting the oldest key of a set each time
 * would take longer and longer.
 */
export class RecentKeys {
  readonly #perGeneration: number;
  #newer = new Set<string>();
  #older = new Set<string>();

  constructor(limit: number) {
    this.#perGeneration = limit / 2;
  }

  /** Whether the key is new, as far as is remembered. */
  add(key: string): boolean {
    if (this.#newer.has(key)) return false;
    const isNew = !this.#older.has(key);
    if (this.#newer.size >= this.#perGeneration) {
      this.#older = this.#newer;
      this.#newer = new Set();
    }
    this.#newer.add(key);
    return isNew;
  }
}
