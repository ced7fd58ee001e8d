/** A family with fixtures. Names are those of `docs/extending/families.md`. */
export interface Family {
  readonly name: string;
  /** What the names of its fixtures start with; the longest prefix counts. */
  readonly prefix: string;
  /** Its key in `configs`. */
  readonly tag: string;
}

const FAMILIES: readonly Family[] = [
  { name: 'AsyncRAT', prefix: 'asyncrat-', tag: 'ASYNCRAT' },
  { name: 'DcRat', prefix: 'asyncrat-dcrat', tag: 'DCRAT' },
  { name: 'VenomRAT', prefix: 'asyncrat-venomrat', tag: 'VENOMRAT' },
  { name: 'XWorm', prefix: 'xworm-', tag: 'XWORM' },
  { name: 'Remcos', prefix: 'remcos-', tag: 'REMCOS' },
  { name: 'njRAT', prefix: 'njrat-', tag: 'NJRAT' },
  { name: 'Cobalt Strike', prefix: 'cobalt-strike-', tag: 'COBALTSTRIKE' },
  { name: 'Cobalt Strike stager', prefix: 'cobalt-strike-stager', tag: 'COBALTSTRIKE' },
  { name: 'RedLine', prefix: 'redline-', tag: 'REDLINE' },
  { name: 'QuasarRAT', prefix: 'quasar-', tag: 'QUASARRAT' },
  { name: 'AgentTesla', prefix: 'agenttesla-', tag: 'AGENTTESLA' },
  { name: 'Snake Keylogger', prefix: 'snake-', tag: 'SNAKE_KEYLOGGER' },
  { name: 'VIP Keylogger', prefix: 'vip-', tag: 'VIP_KEYLOGGER' },
  { name: 'VIP Keylogger', prefix: 'vip-ambiguous', tag: 'SNAKE_KEYLOGGER' },
  { name: 'MassLogger', prefix: 'masslogger-', tag: 'MASSLOGGER' },
  { name: 'XenoRAT', prefix: 'xenorat-', tag: 'XENORAT' },
  { name: 'STRRAT', prefix: 'strrat-', tag: 'STRRAT' },
  { name: 'Vidar', prefix: 'vidar-', tag: 'VIDAR' },
  { name: 'Winos', prefix: 'winos-', tag: 'WINOS' },
  { name: 'NanoCore', prefix: 'nanocore-', tag: 'NANOCORE' },
  { name: 'StealC', prefix: 'stealc-', tag: 'STEALC' },
  { name: 'Amadey', prefix: 'amadey-', tag: 'AMADEY' },
  { name: 'Lumma', prefix: 'lumma-', tag: 'LUMMA' },
];

/** `undefined` if none of the parsers reads the family. */
export function familyOf(fixture: string): Family | undefined {
  const [longest] = FAMILIES.filter(({ prefix }) => fixture.startsWith(prefix)).toSorted(
    (one, other) => other.prefix.length - one.prefix.length,
  );
  return longest;
}

/** The order of the page. */
export function familyNames(): readonly string[] {
  return [...new Set(FAMILIES.map(({ name }) => name))];
}

export function isKnownTag(tag: string): boolean {
  return FAMILIES.some((family) => family.tag === tag);
}
