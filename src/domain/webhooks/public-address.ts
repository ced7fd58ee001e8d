/**
 * Which addresses a server may be made to connect to by somebody who only names a URL: those of the public internet.
 * What is not known to be one of them is none. The ranges are those of IANA's special-purpose registries
 * (https://www.iana.org/assignments/iana-ipv4-special-registry, …/iana-ipv6-special-registry), of RFC 5771 and of
 * RFC 4291, and a few addresses at which clouds give out credentials.
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
  // Where a virtual machine of Azure reaches its host.
  '168.63.129.16/32',
  // Protocol assignments, with Teredo, which leads to an IPv4 address, and the range for benchmarks.
  '2001::/23',
  '2001:db8::/32',
  // 6to4, which leads to an IPv4 address.
  '2002::/16',
  '3fff::/20',
].map(readNetwork);

/** All else of IPv6 is reserved, local, multicast, or leads to an IPv4 address: `::ffff:0:0/96`, `64:ff9b::/96`, … */
const PUBLIC_IPV6 = readNetwork('2000::/3');

interface Network {
  readonly bytes: readonly number[];
  readonly length: number;
}

/** Whether the address is one of the public internet. A text that is no address is none. */
export function isPublicAddress(text: string): boolean {
  const address = parseAddress(text);
  if (address === undefined) return false;
  if (address.length === 16 && !holds(PUBLIC_IPV6, address)) return false;
  return !NOT_PUBLIC.some((network) => holds(network, address));
}

/** Whether the address may be connected to: a public one, or one in a network that the operator allows. */
export function mayConnectTo(text: string, allowed: readonly string[]): boolean {
  const address = parseAddress(text);
  if (address === undefined) return false;
  return isPublicAddress(text) || allowed.some((network) => holds(readNetwork(network), address));
}

/** The bytes of a dotted quad without leading zeros, or of an IPv6 address without brackets and zone. */
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
  // Written by the URL it has no dotted part, and at most one "::".
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

function holds({ bytes, length }: Network, address: readonly number[]): boolean {
  if (bytes.length !== address.length) return false;
  return bytes.every((byte, place) => {
    const bits = Math.min(Math.max(length - place * 8, 0), 8);
    return byte >> (8 - bits) === (address[place] ?? 0) >> (8 - bits);
  });
}
