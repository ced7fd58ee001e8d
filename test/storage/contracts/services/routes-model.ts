/** Routing as the documents describe it: all patterns are compared, without keys and indexes. */

export interface Declared {
  readonly slug: string;
  readonly hosts: readonly string[];
  readonly networks: readonly string[];
  /** The hosts, without `*.`, that the service has proven to own. */
  readonly proven: readonly string[];
}

interface Pattern {
  readonly service: string;
  readonly pattern: string;
  readonly verified: boolean;
  readonly meaning: Meaning;
}

type Meaning =
  | { readonly kind: 'name'; readonly name: string; readonly isWildcard: boolean }
  | { readonly kind: 'network'; readonly version: number; readonly prefix: string };

/** The suffixes of registries among the names that the tests use. */
const SUFFIXES = /^(?:uk|co\.uk|ck|[a-z]+\.ck)$/;

export function routeIn(declared: readonly Declared[], host: string) {
  const target = meaningOf(host);
  const matching = declared
    .flatMap(patternsOf)
    .filter(({ meaning, pattern }) => contains(meaning, target) && !SUFFIXES.test(baseOf(pattern)));
  return shown(mostSpecific(matching));
}

export function overlapsIn(declared: readonly Declared[]) {
  const all = declared.flatMap(patternsOf);
  return all.flatMap((inner) => {
    const others = all.filter(({ service }) => service !== inner.service);
    const within = mostSpecific(others.filter(({ meaning }) => contains(meaning, inner.meaning)));
    return within === undefined ? [] : [{ inner: shown(inner), within: shown(within) }];
  });
}

function shown(found: Pattern | undefined) {
  return found && { service: found.service, pattern: found.pattern, verified: found.verified };
}

function mostSpecific(patterns: readonly Pattern[]): Pattern | undefined {
  return patterns.toSorted(
    (one, other) =>
      specificity(other.meaning) - specificity(one.meaning) ||
      Number(other.verified) - Number(one.verified) ||
      (one.service < other.service ? -1 : 1),
  )[0];
}

/** If patterns of one service mean the same, the last host remains, else the last network. */
function patternsOf({ slug, hosts, networks, proven }: Declared): readonly Pattern[] {
  const patterns = [...networks, ...hosts].map((pattern) => ({
    service: slug,
    pattern,
    verified: proven.includes(baseOf(pattern)),
    meaning: meaningOf(pattern),
  }));
  return [...new Map(patterns.map((one) => [JSON.stringify(one.meaning), one])).values()];
}

const baseOf = (pattern: string) => pattern.replace(/^\*\./, '');

function meaningOf(pattern: string): Meaning {
  const [address = '', length] = pattern.split('/');
  if (address.includes(':')) return network(6, bitsOfIpv6(address), length);
  if (/^[\d.]+$/.test(address)) return network(4, bitsOfIpv4(address), length);
  return { kind: 'name', name: baseOf(pattern), isWildcard: pattern.startsWith('*.') };
}

function network(version: number, bits: string, length: string | undefined): Meaning {
  return { kind: 'network', version, prefix: bits.slice(0, Number(length ?? bits.length)) };
}

const binary = (digits: string, base: number, width: number) =>
  Number.parseInt(digits, base).toString(2).padStart(width, '0');

const bitsOfIpv4 = (address: string) =>
  address
    .split('.')
    .map((byte) => binary(byte, 10, 8))
    .join('');

/** The bits of an address with `::`. */
function bitsOfIpv6(address: string): string {
  const [head = [], tail = []] = address
    .split('::')
    .map((part) => part.split(':').filter((group) => group !== ''));
  const zeros = Array.from({ length: 8 - head.length - tail.length }, () => '0');
  return [...head, ...zeros, ...tail].map((group) => binary(group, 16, 16)).join('');
}

function contains(outer: Meaning, inner: Meaning): boolean {
  if (outer.kind === 'network')
    return (
      inner.kind === 'network' &&
      inner.version === outer.version &&
      inner.prefix.startsWith(outer.prefix)
    );
  if (inner.kind !== 'name') return false;
  const isSame = inner.name === outer.name && inner.isWildcard === outer.isWildcard;
  return isSame || (outer.isWildcard && inner.name.endsWith(`.${outer.name}`));
}

/** The host itself before all wildcards. */
function specificity(meaning: Meaning): number {
  if (meaning.kind === 'network') return meaning.prefix.length;
  return meaning.isWildcard ? meaning.name.length : 1000;
}
