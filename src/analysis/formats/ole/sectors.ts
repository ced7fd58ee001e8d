/** The content of a chain; `whole` is false if it loops, breaks off or leaves the file. */
export interface ChainContent {
  readonly bytes: Buffer;
  readonly whole: boolean;
}

/** Sector numbers from here on are special: free, end of chain, part of a table. */
const FIRST_MARK = 0xfffffffa;

interface Run {
  start: number;
  end: number;
}

/**
 * Fixed-size sectors of a buffer, linked by a table: `table[n]` is the sector after `n`. Compound
 * files have two of these: the sectors of the file and the mini sectors of one stream. [MS-CFB] 2.3
 * and 2.4.
 */
export class SectorChains {
  readonly #bytes: Buffer;
  readonly #base: number;
  readonly #size: number;
  readonly #table: Uint32Array;
  /**
   * Per sector, the number of the last read that visited it. Detects cycles without a new set per
   * read.
   */
  readonly #visits: Uint32Array;
  #visit = 0;

  /** `base` is the offset of sector 0. */
  constructor(space: { bytes: Buffer; base: number; size: number }, table: Uint32Array) {
    this.#bytes = space.bytes;
    this.#base = space.base;
    this.#size = space.size;
    this.#table = table;
    this.#visits = new Uint32Array(table.length);
  }

  /** The offset of a sector; `undefined` outside of the file. */
  offsetOf(sector: number): number | undefined {
    const offset = this.#base + sector * this.#size;
    return sector < FIRST_MARK && offset < this.#bytes.length ? offset : undefined;
  }

  /** Reads at most `maxBytes` along a chain. Contiguous sectors are not copied. */
  read(first: number, maxBytes: number): ChainContent {
    const runs: Run[] = [];
    let length = 0;
    this.#visit += 1;
    for (let sector = first; length < maxBytes; sector = this.#table[sector] ?? FIRST_MARK) {
      const offset = this.offsetOf(sector);
      if (offset === undefined || !this.#enter(sector)) break;
      const end = Math.min(offset + this.#size, offset + maxBytes - length, this.#bytes.length);
      const last = runs.at(-1);
      if (last?.end === offset) last.end = end;
      else runs.push({ start: offset, end });
      length += end - offset;
    }
    return { bytes: this.#join(runs), whole: length === maxBytes };
  }

  #enter(sector: number): boolean {
    if (this.#visits[sector] === this.#visit) return false;
    this.#visits[sector] = this.#visit;
    return true;
  }

  #join(runs: readonly Run[]): Buffer {
    const parts = runs.map(({ start, end }) => this.#bytes.subarray(start, end));
    const [only] = parts;
    return parts.length === 1 && only !== undefined ? only : Buffer.concat(parts);
  }
}

/** Table entries are consecutive 32-bit integers. */
export function tableOf(bytes: Buffer): Uint32Array {
  const table = new Uint32Array(bytes.length >> 2);
  for (let index = 0; index < table.length; index += 1) {
    table[index] = bytes.readUInt32LE(index * 4);
  }
  return table;
}
