/**
 * Seeded random numbers, so that every demo tells the same story. Tokens and ids do not use it:
 * they stay unpredictable.
 */
export class SeededRandom {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  /** From 0 to 1, without 1 (mulberry32). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  chance(share: number): boolean {
    return this.next() < share;
  }

  /** An integer from `min` to `max`, both included. */
  integer(min: number, max: number): number {
    return min + Math.floor(this.next() * (max - min + 1));
  }

  /** Roughly normal, from -3 to 3. */
  normal(): number {
    return this.next() + this.next() + this.next() + this.next() + this.next() + this.next() - 3;
  }

  /** Log-normal around the median: many short times and a few long ones. */
  around(median: number): number {
    return median * Math.exp(this.normal());
  }

  pick<Value>(values: readonly Value[]): Value {
    return values[Math.floor(this.next() * values.length)] as Value;
  }

  weighted<Value extends { readonly weight: number }>(values: readonly Value[]): Value {
    let rest = this.next() * values.reduce((sum, { weight }) => sum + weight, 0);
    for (const value of values) {
      rest -= value.weight;
      if (rest < 0) return value;
    }
    return values.at(-1) as Value;
  }

  text(alphabet: string, length: number): string {
    return Array.from({ length }, () => this.pick([...alphabet])).join('');
  }
}
