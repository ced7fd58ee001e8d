import { NetworkSet } from '../ip-address.ts';
import { isPublicAddress } from '../public-address.ts';
import { isPublicSuffix } from '../public-suffix.ts';

/** Why a host is never an indicator. */
export type HostProtection =
  | 'reserved'
  | 'local-name'
  | 'public-suffix'
  | 'allow-list'
  | 'own-server';

/** Names that each network resolves by itself, for hosts of its own. */
const LOCAL_SUFFIXES = new Set(['localhost', 'localdomain', 'local', 'internal', 'lan', 'arpa']);

export interface HostSettings {
  /** The operator's host names, which cover their subdomains, and networks. */
  readonly allowed: readonly string[];
  /** The public URL of this server. */
  readonly baseUrl: string;
}

/**
 * Decides which hosts may be indicators, in every format from which readers block: block lists,
 * STIX, TAXII, MISP and ThreatFox. Anyone with the role of a researcher can report any host, and
 * readers block without looking at it.
 */
export class IndicatorHosts {
  readonly #allowed: ReadonlySet<string>;
  readonly #allowedNetworks: NetworkSet;
  readonly #ownHost: string;
  /** Exports are sorted by host, so the same host is asked about again and again. */
  #last: { readonly host: string; readonly protection: HostProtection | undefined } | undefined;

  constructor({ allowed, baseUrl }: HostSettings) {
    this.#allowed = new Set(allowed.filter((entry) => !entry.includes('/')));
    this.#allowedNetworks = new NetworkSet(allowed.filter((entry) => entry.includes('/')));
    this.#ownHost = hostOfUrl(baseUrl);
  }

  /** Why the host, in its canonical form, is no indicator; `undefined` if it may be one. */
  protection(host: string): HostProtection | undefined {
    if (this.#last?.host !== host) this.#last = { host, protection: this.#decide(host) };
    return this.#last.protection;
  }

  #decide(host: string): HostProtection | undefined {
    if (host === this.#ownHost) return 'own-server';
    return isAddress(host) ? this.#ofAddress(host) : this.#ofName(host);
  }

  #ofAddress(host: string): HostProtection | undefined {
    if (!isPublicAddress(host)) return 'reserved';
    const isAllowed = this.#allowed.has(host) || this.#allowedNetworks.has(host);
    return isAllowed ? 'allow-list' : undefined;
  }

  #ofName(host: string): HostProtection | undefined {
    const last = host.slice(host.lastIndexOf('.') + 1);
    if (last === host || LOCAL_SUFFIXES.has(last)) return 'local-name';
    if (isPublicSuffix(host)) return 'public-suffix';
    return this.#isAllowedName(host) ? 'allow-list' : undefined;
  }

  #isAllowedName(host: string): boolean {
    if (this.#allowed.size === 0) return false;
    return this.#allowed.has(host) || parentsOf(host).some((name) => this.#allowed.has(name));
  }
}

/** The last label of a name is never numeric. */
function isAddress(host: string): boolean {
  return host.includes(':') || /(?:^|\.)[0-9]+$/.test(host);
}

/** `b.c` and `c` of `a.b.c`; none of an address. */
export function parentsOf(host: string): readonly string[] {
  if (isAddress(host)) return [];
  const labels = host.split('.');
  return labels.slice(1).map((_, index) => labels.slice(index + 1).join('.'));
}

/** In its canonical form, IPv6 without brackets. Empty if the text is no URL. */
export function hostOfUrl(url: string): string {
  if (!URL.canParse(url)) return '';
  const { hostname } = new URL(url);
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
}
