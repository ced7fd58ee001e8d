/** Invented hosts and networks, the same in every run. */

/** The lengths that registries assign and operators announce. */
const IPV4_LENGTHS = [12, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 27, 28, 29, 30, 32];
const IPV6_LENGTHS = [29, 32, 36, 40, 44, 48, 56, 64, 128];

const byte = (number: number, shift: number) => (number >>> shift) & 255;
const ipv4 = (number: number) => {
  const mixed = Math.imul(number + 1, 2_654_435_761);
  return [24, 16, 8, 0].map((shift) => byte(mixed, shift)).join('.');
};
const ipv6 = (number: number) => {
  const mixed = Math.imul(number + 1, 2_654_435_761) >>> 0;
  return `2001:${(mixed >>> 16).toString(16)}:${(mixed & 0xffff).toString(16)}::1`;
};
const pick = (list: readonly number[], number: number) => list[number % list.length];

export function hostOf(number: number): string {
  const base = `n${number}.ply${number % 97}.com`;
  return number % 2 === 0 ? `*.${base}` : `gate.${base}`;
}

export function networkOf(number: number): string {
  return number % 4 === 0
    ? `${ipv6(number)}/${pick(IPV6_LENGTHS, number / 4)}`
    : `${ipv4(number)}/${pick(IPV4_LENGTHS, number)}`;
}

/** Half of each kind are declared. */
export const TARGETS: Readonly<Record<string, (number: number) => string>> = {
  name: (number) => `a.n${number}.ply${number % 97}.com`,
  'IPv4 address': (number) => ipv4(number % 2 === 0 ? number : number + 1e6),
  'IPv6 address': (number) => ipv6(number % 2 === 0 ? 4 * number : number + 1e6),
};
