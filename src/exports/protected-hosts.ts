import { getDomain, getPublicSuffix } from 'tldts';
import { NetworkSet } from '../domain/ip-address.ts';
import { isPublicAddress } from '../domain/public-address.ts';
import { type HostKind, hostKind } from './characters.ts';
import type { ExportContext } from './exporter.ts';

/** Why a host must not be blocked. */
export type Protection =
  | 'reserved'
  | 'local-name'
  | 'public-suffix'
  | 'service-apex'
  | 'shared-gateway'
  | 'allow-list'
  | 'own-server';

/** Names that each network resolves by itself, for hosts of its own. */
const LOCAL_SUFFIXES = new Set(['localhost', 'localdomain', 'local', 'internal', 'lan', 'arpa']);
/** The list has a section of domains under which companies let others register names. */
const SUFFIX_OPTIONS = {
  allowPrivateDomains: true,
  extractHostname: false,
  validateHostname: false,
} as const;
const WILDCARD = '*.';

/**
 * The hosts whose blocking would hurt others than the owner of a C2. An entry for a name also
 * blocks all names below it, so the parents of a protected name are protected too.
 */
export class ProtectedHosts {
  readonly #apexes = new Set<string>();
  readonly #gateways = new Set<string>();
  readonly #gatewayNetworks: NetworkSet;
  readonly #allowed: ReadonlySet<string>;
  readonly #allowedNetworks: NetworkSet;
  readonly #allowedParents: ReadonlySet<string>;
  readonly #ownHost: string;
  readonly #ownParents: ReadonlySet<string>;

  constructor(context: Pick<ExportContext, 'declared' | 'allowed' | 'baseUrl'>) {
    for (const pattern of context.declared.hosts) this.#declare(pattern);
    this.#gatewayNetworks = new NetworkSet(context.declared.networks);
    const names = context.allowed.filter((entry) => !entry.includes('/'));
    this.#allowed = new Set(names);
    this.#allowedParents = new Set(names.flatMap(parentsOf));
    this.#allowedNetworks = new NetworkSet(context.allowed.filter((entry) => entry.includes('/')));
    this.#ownHost = hostOfUrl(context.baseUrl);
    this.#ownParents = new Set(parentsOf(this.#ownHost));
  }

  /**
   * `*.ply.example`: the customers have names below the apex. `tunnel.ply.example`: a gateway,
   * whose customers have ports, unless it is the domain of the service itself.
   */
  #declare(pattern: string): void {
    const name = pattern.startsWith(WILDCARD) ? pattern.slice(WILDCARD.length) : pattern;
    const isApex = name !== pattern || getDomain(name, SUFFIX_OPTIONS) === name;
    (isApex ? this.#apexes : this.#gateways).add(name);
    for (const parent of parentsOf(name)) this.#apexes.add(parent);
  }

  /** Why no list may contain the host, not even together with a port. */
  ofEndpoint(host: string, kind: HostKind): Protection | undefined {
    if (host === this.#ownHost) return 'own-server';
    return kind === 'name' ? this.#ofName(host) : this.#ofAddress(host);
  }

  /** Why a list that blocks all ports of the host must not contain it. */
  ofHost(host: string, kind: HostKind): Protection | undefined {
    const protection = this.ofEndpoint(host, kind);
    if (protection !== undefined) return protection;
    if (this.#gateways.has(host)) return 'shared-gateway';
    if (this.#allowedParents.has(host)) return 'allow-list';
    if (this.#ownParents.has(host)) return 'own-server';
    const isShared = kind !== 'name' && this.#gatewayNetworks.has(host);
    return isShared ? 'shared-gateway' : undefined;
  }

  #ofAddress(host: string): Protection | undefined {
    if (!isPublicAddress(host)) return 'reserved';
    const isAllowed = this.#allowed.has(host) || this.#allowedNetworks.has(host);
    return isAllowed ? 'allow-list' : undefined;
  }

  #ofName(host: string): Protection | undefined {
    const last = host.slice(host.lastIndexOf('.') + 1);
    if (last === host || LOCAL_SUFFIXES.has(last)) return 'local-name';
    if (this.#apexes.has(host)) return 'service-apex';
    if (isPublicSuffix(host)) return 'public-suffix';
    return this.#isAllowedName(host) ? 'allow-list' : undefined;
  }

  #isAllowedName(host: string): boolean {
    if (this.#allowed.size === 0) return false;
    return this.#allowed.has(host) || parentsOf(host).some((name) => this.#allowed.has(name));
  }
}

/** `b.c` and `c` of `a.b.c`; none of an address. */
function parentsOf(name: string): readonly string[] {
  if (hostKind(name) !== 'name') return [];
  const labels = name.split('.');
  return labels.slice(1).map((_, index) => labels.slice(index + 1).join('.'));
}

/**
 * The name of a host below shows two cases at once: the name is a suffix, or it is the base of a
 * wildcard rule, as all names below `compute.amazonaws.com` are suffixes.
 */
function isPublicSuffix(name: string): boolean {
  const suffix = getPublicSuffix(`host.${name}`, SUFFIX_OPTIONS) ?? '';
  return suffix.length >= name.length;
}

function hostOfUrl(url: string): string {
  if (!URL.canParse(url)) return '';
  const { hostname } = new URL(url);
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
}
