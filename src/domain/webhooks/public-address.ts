/**
 * Addresses that a URL of a user must not reach: all that are not public. The ranges are those of
 * IANA's special-purpose registries (https://www.iana.org/assignments/iana-ipv4-special-registry,
 * …/iana-ipv6-special-registry), of RFC 5771 and of RFC 4291, and addresses at which clouds serve
 * credentials.
 */
const NOT_PUBLIC = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  // The host of an Azure virtual machine.
  '168.63.129.16/32',
  // Protocol assignments, including Teredo, which embeds an IPv4 address, and benchmarking.
  '2001::/23',
  '2001:db8::/32',
  // 6to4, which embeds an IPv4 address.
  '2002::/16',
  '3fff::/20',
].map(readNetwork);

/**
 * Other IPv6 ranges are reserved, local or multicast, or embed an IPv4 address (`64:ff9b::/96`).
 */
const PUBLIC_IPV6 = readNetwork('2000::/3');

interface Network {
  readonly bytes: readonly number[];
  readonly length: number;
}

/** Whether the text is a public address. */
export function isPublicAddress(text: string): boolean {
  const address = parseAddress(text);
  if (address === undefined) return false;
  if (address.length === 16 && !contains(PUBLIC_IPV6, address)) return false;
  return !NOT_PUBLIC.some((network) => contains(network, address));
}

/** Whether the address is public or in a network that the operator allows. */
export function mayConnectTo(text: string, allowed: readonly string[]): boolean {
  const address = parseAddress(text);
  if (address === undefined) return false;
  return (
    isPublicAddress(text) || allowed.some((network) => contains(readNetwork(network), address))
  );
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

function readNetwork(text: string): Network {
  const [address = '', length] = text.split('/');
  const bytes = parseAddress(address);
  if (bytes === undefined) throw new RangeError(`${text} is not a network`);
  return { bytes, length: Number(length) };
}

function contains({ bytes, length }: Network, address: readonly number[]): boolean {
  if (bytes.length !== address.length) return false;
  return bytes.every((byte, index) => {
    const bits = Math.min(Math.max(length - index * 8, 0), 8);
    return byte >> (8 - bits) === (address[index] ?? 0) >> (8 - bits);
  });
}
