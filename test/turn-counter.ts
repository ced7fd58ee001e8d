/** Counts marks by the turn of the event loop in which they are made, until it is stopped. */
export class TurnCounter {
  readonly #marks: number[] = [0];
  #next: NodeJS.Immediate;

  constructor() {
    const count = () => {
      this.#marks.push(0);
      this.#next = setImmediate(count);
    };
    this.#next = setImmediate(count);
  }

  mark(): void {
    const last = this.#marks.length - 1;
    this.#marks[last] = (this.#marks[last] ?? 0) + 1;
  }

  stop(): void {
    clearImmediate(this.#next);
  }

  /** The marks of each turn that has any. */
  get byTurn(): readonly number[] {
    return this.#marks.filter((marks) => marks > 0);
  }

  /** The most marks of a turn. */
  get most(): number {
    return Math.max(...this.#marks);
  }
}
