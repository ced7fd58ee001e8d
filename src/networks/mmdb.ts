import { readFile } from 'node:fs/promises';
import { type Response as AnyRecord, Reader } from 'mmdb-lib';
import { formatAddress } from '../domain/ip-address.ts';

/** Starts the metadata, at the end of the file. */
const MARKER = Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1');
/** Records that are read at most at the start to see whether they have what is asked for. */
const MAX_EXAMINED = 4096;

/**
 * An MMDB file (https://maxmind.github.io/MaxMind-DB/), held in memory. `read` takes from a record
 * what is wanted.
 */
class MmdbTable<Value> {
  readonly #reader: Reader<AnyRecord>;
  readonly #read: (record: unknown) => Value | undefined;

  constructor(bytes: Buffer, read: (record: unknown) => Value | undefined) {
    this.#reader = new Reader(bytes);
    this.#read = read;
  }

  /** Looks an address up in its canonical form. A damaged record counts as absent. */
  get(address: string): Value | undefined {
    // The reader would look for the bits of an IPv6 address among those of IPv4.
    if (address.includes(':') && this.#reader.metadata.ipVersion === 4) return undefined;
    try {
      return this.#read(this.#reader.get(address));
    } catch {
      return undefined;
    }
  }

  /** Whether one of the first records has what is wanted. Throws if a record cannot be read. */
  hasValues(): boolean {
    return this.#findFrom([0, 0, 0, 0]) || this.#findFrom(new Array<number>(16).fill(0));
  }

  /** Follows the networks of the table, each after the end of the one before. */
  #findFrom(start: readonly number[]): boolean {
    if (start.length === 16 && this.#reader.metadata.ipVersion === 4) return false;
    let address: readonly number[] | undefined = start;
    for (let examined = 0; address !== undefined && examined < MAX_EXAMINED; examined += 1) {
      const [record, length] = this.#reader.getWithPrefixLength(formatAddress(address));
      if (this.#read(record) !== undefined) return true;
      address = addressAfter(address, length);
    }
    return false;
  }
}

/** The first address after the network of the address; `undefined` after the last one. */
function addressAfter(address: readonly number[], length: number): readonly number[] | undefined {
  const bits = 8 * address.length;
  const step = 1n << BigInt(bits - length);
  const value = BigInt(`0x${Buffer.from(address).toString('hex')}`);
  const next = (value / step + 1n) * step;
  if (next >> BigInt(bits) !== 0n) return undefined;
  const hex = next.toString(16).padStart(2 * address.length, '0');
  return [...Buffer.from(hex, 'hex')];
}

/**
 * Opens the file of a setting, whose records must have `what`. An error names the setting, the file
 * and what is wrong.
 */
export async function openMmdb<Value>(
  { setting, file, what }: { setting: string; file: string; what: string },
  read: (record: unknown) => Value | undefined,
): Promise<MmdbTable<Value>> {
  const wrong = (text: string, cause?: unknown) =>
    new Error(`${setting} must name an MMDB file with ${what}: ${file} ${text}`, { cause });
  const bytes = await readFile(file).catch((cause: NodeJS.ErrnoException) => {
    const text = cause.code === 'ENOENT' ? 'does not exist' : `cannot be read: ${cause.message}`;
    throw wrong(text, cause);
  });
  if (!bytes.includes(MARKER)) throw wrong('is not an MMDB file');
  const table = await examined(bytes, read).catch((cause: unknown) => {
    throw wrong('is damaged: get it again', cause);
  });
  if (table === undefined) throw wrong('has none: is it a table of another kind?');
  return table;
}

/** `undefined` if the records do not have what is wanted. Rejects if the file is damaged. */
async function examined<Value>(
  bytes: Buffer,
  read: (record: unknown) => Value | undefined,
): Promise<MmdbTable<Value> | undefined> {
  const table = new MmdbTable(bytes, read);
  return table.hasValues() ? table : undefined;
}
