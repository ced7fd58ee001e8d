import { bitsOf, bitsOfCanonical, readNetwork } from './ip-address.ts';

/** The values of networks, found by an address in them: a lookup for each length that occurs. */
export class NetworkMap<Value> {
  /** By the version and the bits of the prefix, `4/11001011`. */
  readonly #values = new Map<string, Value>();
  /** Of the prefixes of each version, the longest first. */
  readonly #lengths: Record<4 | 6, readonly number[]> = { 4: [], 6: [] };

  /** The value of a network in CIDR notation, which was validated before. */
  get(network: string): Value | undefined {
    return this.#values.get(prefixOf(network).key);
  }

  set(network: string, value: Value): void {
    const { version, length, key } = prefixOf(network);
    this.#values.set(key, value);
    const lengths = this.#lengths[version];
    if (!lengths.includes(length))
      this.#lengths[version] = [...lengths, length].sort((one, other) => other - one);
  }

  /** The values of all networks that contain a canonical address, the longest network first. */
  findAll(address: string): readonly Value[] {
    const version = address.includes(':') ? 6 : 4;
    if (this.#lengths[version].length === 0) return [];
    const bits = bitsOfCanonical(address);
    const found: Value[] = [];
    for (const length of this.#lengths[version]) {
      const value = this.#values.get(`${version}/${bits.slice(0, length)}`);
      if (value !== undefined) found.push(value);
    }
    return found;
  }
}

function prefixOf(network: string) {
  const { bytes, length } = readNetwork(network);
  const version = bytes.length === 4 ? 4 : 6;
  return { version, length, key: `${version}/${bitsOf(bytes).slice(0, length)}` } as const;
}
