import type { PeImage } from '../image.ts';

/** An entry of a lookup or address table: 4 bytes, 8 in PE32+. */
export interface Thunk {
  readonly rva: number;
  /** The address of hint and name; a 64-bit value may be inexact, but then it is unmapped. */
  readonly address: number;
  /** Set instead of a name. */
  readonly ordinal?: number | undefined;
}

/** Entries of both tables count, as in pefile. */
const MAX_THUNKS = 0x2000;
const MAX_REPEATED = 15;
const MAX_SPREAD = 128 * 2 ** 20;
const TWO_TO_32 = 2 ** 32;
const TOP_BIT = 0x8000_0000;

/** Reads import tables, with one limit for all of them. */
export class ThunkReader {
  readonly #image: PeImage;
  #remaining = MAX_THUNKS + 1;

  constructor(image: PeImage) {
    this.#image = image;
  }

  /** The entries of one table; empty if the data is not plausible as a table. */
  read(start: number, maxBytes: number, base = 0): readonly Thunk[] {
    const thunks: Thunk[] = [];
    const addresses = new Addresses();
    const size = this.#image.headers.is64 ? 8 : 4;
    for (let rva = start; rva > 0 && rva < start + maxBytes; rva += size) {
      if (!this.#take()) break;
      const thunk = addresses.areNonsense() ? undefined : this.#at(rva, size, base);
      if (thunk === undefined) return [];
      if (thunk.address === 0 || pointsInto(thunk, start)) break;
      if (thunk.ordinal === undefined) addresses.add(thunk.address);
      thunks.push(thunk);
    }
    return thunks;
  }

  #at(rva: number, size: number, base: number): Thunk | undefined {
    const bytes = this.#image.bytesAt(rva, size);
    return bytes?.length === size ? decode(bytes, rva, base) : undefined;
  }

  #take(): boolean {
    if (this.#remaining === 0) {
      this.#image.truncated.add('imports');
      return false;
    }
    this.#remaining -= 1;
    return true;
  }
}

/** `undefined` for an ordinal of more than 16 bits, which no linker writes. */
function decode(bytes: Buffer, rva: number, base: number): Thunk | undefined {
  const low = bytes.readUInt32LE(0);
  const high = bytes.length === 8 ? bytes.readUInt32LE(4) : 0;
  const isOrdinal = (bytes.length === 8 ? high : low) >= TOP_BIT;
  const address = high * TWO_TO_32 + low;
  if (!isOrdinal) return { rva, address: address === 0 ? 0 : address - base };
  return low % TOP_BIT > 0xffff ? undefined : { rva, address, ordinal: low & 0xffff };
}

/** Whether it points into its own table, before or at itself. */
function pointsInto({ rva, address }: Thunk, start: number): boolean {
  return address >= start && address <= rva;
}

/** Statistics of the addresses in a table: in a real one they are close together and distinct. */
class Addresses {
  readonly #seen = new Set<number>();
  readonly #low = new Spread();
  readonly #high = new Spread();
  #repeated = 0;

  add(address: number): void {
    if (this.#seen.has(address)) this.#repeated += 1;
    this.#seen.add(address);
    (address < TWO_TO_32 ? this.#low : this.#high).add(address);
  }

  areNonsense(): boolean {
    const width = Math.max(this.#low.width, this.#high.width);
    return this.#repeated >= MAX_REPEATED || width > MAX_SPREAD;
  }
}

class Spread {
  #lowest = Number.POSITIVE_INFINITY;
  #highest = Number.NEGATIVE_INFINITY;

  add(value: number): void {
    this.#lowest = Math.min(this.#lowest, value);
    this.#highest = Math.max(this.#highest, value);
  }

  get width(): number {
    return this.#highest - this.#lowest;
  }
}
