/**
 * Divides work that several callers do in pieces over the turns of the event loop: in one turn all
 * of them together do pieces of at most `limit`, by a measure of their own, and one piece more.
 */
export class TurnBudget {
  readonly #limit: number;
  readonly #waiting: (() => void)[] = [];
  #used = 0;
  #isScheduled = false;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /**
   * Counts a piece that was done. Resolves when the next one may be done: at once, or in a later
   * turn, in the order of the calls.
   */
  async spend(amount: number): Promise<void> {
    this.#used += amount;
    this.#schedule();
    if (this.#waiting.length === 0 && this.#used < this.#limit) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push(resolve);
    // Callers alternate while there is some of the budget left.
    if (this.#used < this.#limit) this.#waiting.shift()?.();
    await promise;
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#used = 0;
      const next = this.#waiting.shift();
      if (next === undefined) return;
      this.#schedule();
      next();
    });
  }
}
