/** As much of a WebAssembly table as is used here. */
interface References {
  readonly length: number;
  get(at: number): unknown;
  set(at: number, value: unknown): void;
}

/** A look through the whole table takes longer than a few instances are worth. */
const SCANS_BETWEEN = 64;

/**
 * The YARA binding keeps, in a table of references, hold of the instance in which each scan ran (some 80 KB), and never
 * lets go. What is in the table once the rules are compiled and have run is the binding's own; whatever a later scan
 * adds is over when the scan is.
 */
export class RuleLeftovers {
  readonly #table: References;
  readonly #own = new Set<number>();
  #scans = 0;

  constructor(table: References) {
    this.#table = table;
  }

  /** Everything that is there now stays. */
  keep(): void {
    for (let at = 0; at < this.#table.length; at += 1)
      if (this.#table.get(at) !== undefined) this.#own.add(at);
  }

  /** A scan is over. */
  drop(): void {
    this.#scans += 1;
    if (this.#scans % SCANS_BETWEEN !== 0) return;
    for (let at = 0; at < this.#table.length; at += 1)
      if (!this.#own.has(at) && this.#table.get(at) !== undefined) this.#table.set(at, undefined);
  }
}
