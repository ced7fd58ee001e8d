/** A network: the bytes of an address in it, and the length of the prefix in bits. */
export interface Network {
  readonly bytes: readonly number[];
  readonly length: number;
}

/**
 * The bytes of a dotted quad without leading zeros, or of an IPv6 address without brackets and
 * zone.
 */
export function parseAddress(text: string): readonly number[] | undefined {
  return text.includes(':') ? parseIpv6(text) : parseIpv4(text);
}

function parseIpv4(text: string): readonly number[] | undefined {
  if (!/^(?:(?:0|[1-9]\d{0,2})(?:\.(?!$)|$)){4}$/.test(text)) return undefined;
  const bytes = text.split('.').map(Number);
  return bytes.every((byte) => byte <= 255) ? bytes : undefined;
}

function parseIpv6(text: string): readonly number[] | undefined {
  if (!/^[0-9a-fA-F:.]+$/.test(text) || !URL.canParse(`http://[${text}]/`)) return undefined;
  // The URL parser writes no dotted part and at most one "::".
  const [head = '', tail] = new URL(`http://[${text}]/`).hostname.slice(1, -1).split('::');
  const [first, last] = [groupsOf(head), groupsOf(tail ?? '')];
  const zeros = new Array<number>(8 - first.length - last.length).fill(0);
  return [...first, ...zeros, ...last].flatMap((group) => [group >> 8, group & 0xff]);
}

function groupsOf(text: string): readonly number[] {
  return text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16));
}

/** Reads CIDR notation that was validated before. */
export function readNetwork(text: string): Network {
  const [address = '', length] = text.split('/');
  const bytes = parseAddress(address);
  if (bytes === undefined) throw new RangeError(`${text} is not a network`);
  return { bytes, length: Number(length) };
}

export function contains({ bytes, length }: Network, address: readonly number[]): boolean {
  if (bytes.length !== address.length) return false;
  return bytes.every((byte, index) => {
    const bits = Math.min(Math.max(length - index * 8, 0), 8);
    return byte >> (8 - bits) === (address[index] ?? 0) >> (8 - bits);
  });
}
