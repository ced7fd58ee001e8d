import { getPublicSuffix, parse } from 'tldts';

const OPTIONS = {
  // Tunnel services list their domains in the private section: such names are their own.
  allowPrivateDomains: false,
  detectIp: false,
  extractHostname: false,
  validateHostname: false,
} as const;

/**
 * The suffix in the ICANN section of the Public Suffix List under which the name is registered. It
 * may be longer than the name, by one label: all names below `ck` are suffixes.
 */
export function registrySuffix(name: string): string | undefined {
  const { publicSuffix, isIcann } = parse(`host.${name}`, OPTIONS);
  return isIcann === true ? (publicSuffix ?? undefined) : undefined;
}

/** Anyone can register names under such a name, so no service can answer for all of them. */
export function isRegistrySuffix(name: string): boolean {
  return (registrySuffix(name)?.length ?? 0) >= name.length;
}

/** The list has a section of domains under which companies let others register names. */
export const SUFFIX_OPTIONS = {
  allowPrivateDomains: true,
  extractHostname: false,
  validateHostname: false,
} as const;

/**
 * Whether others register names under the name, at a registry or at a company. The name of a host
 * below shows two cases at once: the name is a suffix, or it is the base of a wildcard rule, as all
 * names below `compute.amazonaws.com` are suffixes.
 */
export function isPublicSuffix(name: string): boolean {
  const suffix = getPublicSuffix(`host.${name}`, SUFFIX_OPTIONS) ?? '';
  return suffix.length >= name.length;
}
