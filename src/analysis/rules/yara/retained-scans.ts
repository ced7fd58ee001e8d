/** The part of `WebAssembly.Table` that is used here. */
interface References {
  readonly length: number;
  get(index: number): unknown;
  set(index: number, value: unknown): void;
}

/** Walking the whole table costs more than a few retained instances. */
const SCANS_PER_SWEEP = 64;

/**
 * Frees memory that the YARA binding leaks: its table of references keeps the instance of every
 * scan (about 80 KB). Entries that exist after the rules have been compiled and have run once
 * belong to the binding; later entries are unused as soon as their scan has returned.
 */
export class RetainedScans {
  readonly #table: References;
  readonly #own = new Set<number>();
  #scans = 0;

  constructor(table: References) {
    this.#table = table;
  }

  /** Marks all present entries as the binding's own. */
  markOwnEntries(): void {
    for (let index = 0; index < this.#table.length; index += 1)
      if (this.#table.get(index) !== undefined) this.#own.add(index);
  }

  /** Called after each scan; clears the leaked entries from time to time. */
  afterScan(): void {
    this.#scans += 1;
    if (this.#scans % SCANS_PER_SWEEP !== 0) return;
    for (let index = 0; index < this.#table.length; index += 1)
      if (!this.#own.has(index) && this.#table.get(index) !== undefined)
        this.#table.set(index, undefined);
  }
}
