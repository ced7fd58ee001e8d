import { getDomain } from 'tldts';
import { NetworkSet } from '../domain/ip-address.ts';
import type { KnownLists } from '../domain/lists/known-lists.ts';
import { SUFFIX_OPTIONS } from '../domain/public-suffix.ts';
import { parentsOf } from '../domain/reports/host-names.ts';
import {
  type HostProtection,
  hostOfUrl,
  IndicatorHosts,
  protectionBy,
} from '../domain/reports/indicator-hosts.ts';
import type { HostKind } from './characters.ts';
import type { ExportContext } from './exporter.ts';

/** Why a host must not be blocked. */
export type Protection = HostProtection | 'service-apex' | 'shared-gateway';

const WILDCARD = '*.';

/**
 * The hosts whose blocking would hurt others than the owner of a C2. An entry for a name also
 * blocks all names below it, so the parents of a protected name are protected too.
 */
export class ProtectedHosts {
  readonly #indicators: IndicatorHosts;
  readonly #apexes = new Set<string>();
  readonly #gateways = new Set<string>();
  readonly #gatewayNetworks: NetworkSet;
  readonly #lists: KnownLists;
  readonly #ownParents: ReadonlySet<string>;

  constructor(context: Pick<ExportContext, 'declared' | 'lists' | 'baseUrl'>) {
    this.#indicators = new IndicatorHosts(context);
    for (const pattern of context.declared.hosts) this.#declare(pattern);
    this.#gatewayNetworks = new NetworkSet(context.declared.networks);
    this.#lists = context.lists;
    this.#ownParents = new Set(parentsOf(hostOfUrl(context.baseUrl)));
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
    return (
      this.#indicators.protection(host) ?? (this.#apexes.has(host) ? 'service-apex' : undefined)
    );
  }

  /** Why a list that blocks all ports of the host must not contain it. */
  ofHost(host: string, kind: HostKind): Protection | undefined {
    const protection = this.ofEndpoint(host);
    if (protection !== undefined) return protection;
    if (this.#gateways.has(host)) return 'shared-gateway';
    const below = protectionBy(this.#lists.goodBelow(host));
    if (below !== undefined) return below;
    if (this.#ownParents.has(host)) return 'own-server';
    const isShared = kind !== 'name' && this.#gatewayNetworks.has(host);
    return isShared ? 'shared-gateway' : undefined;
  }
}
