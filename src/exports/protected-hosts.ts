import { getDomain, parse } from 'tldts';
import { contains, type Network, parseAddress, readNetwork } from '../domain/ip-address.ts';
import { isPublicAddress } from '../domain/public-address.ts';
import { hostKind } from './characters.ts';
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
const SUFFIX_OPTIONS = { allowPrivateDomains: true, extractHostname: false } as const;
const WILDCARD = '*.';

/**
 * The hosts whose blocking would hurt others than the owner of a C2. An entry for a name also
 * blocks all names below it, so the parents of a protected name are protected too.
 */
export class ProtectedHosts {
  readonly #apexes = new Set<string>();
  readonly #gateways = new Set<string>();
  readonly #gatewayNetworks: readonly Network[];
  readonly #allowed: ReadonlySet<string>;
  readonly #allowedNetworks: readonly Network[];
  readonly #allowedParents: ReadonlySet<string>;
  readonly #ownHost: string;
  readonly #ownParents: ReadonlySet<string>;

  constructor(context: Pick<ExportContext, 'services' | 'allowed' | 'baseUrl'>) {
    const services = [...context.services.values()];
    for (const pattern of services.flatMap(({ hosts }) => hosts)) this.#declare(pattern);
    this.#gatewayNetworks = services.flatMap(({ networks }) => networks).map(readNetwork);
    const names = context.allowed.filter((entry) => !entry.includes('/'));
    this.#allowed = new Set(names);
    this.#allowedParents = new Set(names.flatMap(parentsOf));
    this.#allowedNetworks = context.allowed.filter((entry) => entry.includes('/')).map(readNetwork);
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
  ofEndpoint(host: string): Protection | undefined {
    const common = this.#ofAnyHost(host);
    if (common !== undefined) return common;
    return hostKind(host) === 'name' ? this.#ofName(host) : this.#ofAddress(host);
  }

  /** Why a list that blocks all ports of the host must not contain it. */
  ofHost(host: string): Protection | undefined {
    const protection = this.ofEndpoint(host);
    if (protection !== undefined) return protection;
    if (this.#gateways.has(host)) return 'shared-gateway';
    if (this.#allowedParents.has(host)) return 'allow-list';
    if (this.#ownParents.has(host)) return 'own-server';
    return isIn(this.#gatewayNetworks, host) ? 'shared-gateway' : undefined;
  }

  #ofAnyHost(host: string): Protection | undefined {
    if (host === this.#ownHost) return 'own-server';
    const above = hostKind(host) === 'name' ? parentsOf(host) : [];
    return [host, ...above].some((name) => this.#allowed.has(name)) ? 'allow-list' : undefined;
  }

  #ofAddress(host: string): Protection | undefined {
    if (!isPublicAddress(host)) return 'reserved';
    return isIn(this.#allowedNetworks, host) ? 'allow-list' : undefined;
  }

  #ofName(host: string): Protection | undefined {
    const last = host.slice(host.lastIndexOf('.') + 1);
    if (last === host || LOCAL_SUFFIXES.has(last)) return 'local-name';
    if (this.#apexes.has(host)) return 'service-apex';
    return isPublicSuffix(host) ? 'public-suffix' : undefined;
  }
}

/** `b.c` and `c` of `a.b.c`; none of an address. */
function parentsOf(name: string): readonly string[] {
  if (hostKind(name) !== 'name') return [];
  const labels = name.split('.');
  return labels.slice(1).map((_, index) => labels.slice(index + 1).join('.'));
}

/** Also the base of a wildcard rule: all names below `compute.amazonaws.com` are suffixes. */
function isPublicSuffix(name: string): boolean {
  if (parse(name, SUFFIX_OPTIONS).publicSuffix === name) return true;
  const below = `x.${name}`;
  const { publicSuffix, isIcann, isPrivate } = parse(below, SUFFIX_OPTIONS);
  return publicSuffix === below && (isIcann === true || isPrivate === true);
}

function isIn(networks: readonly Network[], host: string): boolean {
  if (networks.length === 0) return false;
  const address = parseAddress(host);
  return address !== undefined && networks.some((network) => contains(network, address));
}

function hostOfUrl(url: string): string {
  if (!URL.canParse(url)) return '';
  const { hostname } = new URL(url);
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
}
