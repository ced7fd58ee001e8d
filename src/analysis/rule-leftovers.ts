/** As much of a WebAssembly table as is used here. */
interface References {
  readonly length: number;
  get(at: number): unknown;
  set(at: number, value: unknown): void;
}

const RECENT = 256;
const SWEEP_ALL_AFTER = 4096;

/**
 * The YARA binding keeps, in a table of references, hold of the instance in which each scan ran (some 80 KB), and never
 * lets go. What is in the table once the rules are compiled and have run is the binding's own; whatever a later scan
 * adds is over when the scan is.
 */
export class RuleLeftovers {
  readonly #table: References;
  readonly #own = new Set<number>();
  #swept = 0;

  constructor(table: References) {
    this.#table = table;
  }

  /** Everything that is there now stays. */
  keep(): void {
    for (let at = 0; at < this.#table.length; at += 1)
      if (this.#table.get(at) !== undefined) this.#own.add(at);
    this.#swept = this.#table.length;
  }

  /** New references stand at the end; now and then also those that took a place that had become free. */
  drop(): void {
    const isTimeForAll = this.#table.length - this.#swept > SWEEP_ALL_AFTER;
    const from = isTimeForAll ? 0 : Math.max(0, this.#swept - RECENT);
    for (let at = from; at < this.#table.length; at += 1)
      if (!this.#own.has(at) && this.#table.get(at) !== undefined) this.#table.set(at, undefined);
    if (isTimeForAll) this.#swept = this.#table.length;
  }
}
