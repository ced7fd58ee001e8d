/** A binary heap over mutable items: the first may change its order, or be removed. */
export class Heap<Item> {
  readonly #items: Item[];
  readonly #isBefore: (one: Item, other: Item) => boolean;

  constructor(items: readonly Item[], isBefore: (one: Item, other: Item) => boolean) {
    this.#items = [...items];
    this.#isBefore = isBefore;
    for (let index = (this.#items.length >> 1) - 1; index >= 0; index -= 1) this.#sink(index);
  }

  get first(): Item | undefined {
    return this.#items[0];
  }

  /** Restores the order after the first item has changed. */
  settleFirst(): void {
    this.#sink(0);
  }

  removeFirst(): void {
    const last = this.#items.pop();
    if (last === undefined || this.#items.length === 0) return;
    this.#items[0] = last;
    this.#sink(0);
  }

  #sink(from: number): void {
    const items = this.#items;
    // Every index below is within the array.
    const item = items[from] as Item;
    let index = from;
    for (;;) {
      let child = 2 * index + 1;
      if (child >= items.length) break;
      const right = child + 1;
      if (right < items.length && this.#isBefore(items[right] as Item, items[child] as Item))
        child = right;
      if (!this.#isBefore(items[child] as Item, item)) break;
      items[index] = items[child] as Item;
      index = child;
    }
    items[index] = item;
  }
}
