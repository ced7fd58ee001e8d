import { ALLOW_LIST } from '../lists/allow-list.ts';
import type { KnownLists } from '../lists/known-lists.ts';
import type { KnownAs } from '../lists/list-kind.ts';
import { isPublicAddress } from '../public-address.ts';
import { isPublicSuffix } from '../public-suffix.ts';
import { isAddress } from './host-names.ts';

/** Why a host is never an indicator. */
export type HostProtection =
  | 'reserved'
  | 'local-name'
  | 'public-suffix'
  | 'allow-list'
  | 'known-good'
  | 'sinkhole'
  | 'own-server';

/** Names that each network resolves by itself, for hosts of its own. */
const LOCAL_SUFFIXES = new Set(['localhost', 'localdomain', 'local', 'internal', 'lan', 'arpa']);

export interface HostSettings {
  /** Those of the kinds `good` and `sinkhole` have hosts and files that are no indicators. */
  readonly lists: KnownLists;
  /** The public URL of this server. */
  readonly baseUrl: string;
}

/**
 * Decides which hosts may be indicators, in every format from which readers block: block lists,
 * STIX, TAXII, MISP and ThreatFox. Anyone with the role of a researcher can report any host, and
 * readers block without looking at it.
 */
export class IndicatorHosts {
  readonly #lists: KnownLists;
  readonly #ownHost: string;
  /** Exports are sorted by host, so the same host is asked about again and again. */
  #last: { readonly host: string; readonly protection: HostProtection | undefined } | undefined;

  constructor({ lists, baseUrl }: HostSettings) {
    this.#lists = lists;
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
    return protectionBy(this.#lists.protectionOfHost(host));
  }

  #ofName(host: string): HostProtection | undefined {
    const last = host.slice(host.lastIndexOf('.') + 1);
    if (last === host || LOCAL_SUFFIXES.has(last)) return 'local-name';
    if (isPublicSuffix(host)) return 'public-suffix';
    return protectionBy(this.#lists.protectionOfHost(host));
  }

  /** Whether a list says that the file is no indicator. */
  protectsFile(sha256: string): boolean {
    return this.#lists.protectionOfFile(sha256) !== undefined;
  }
}

export function protectionBy(known: KnownAs | undefined): HostProtection | undefined {
  if (known === undefined) return undefined;
  if (known.kind === 'sinkhole') return 'sinkhole';
  return known.list === ALLOW_LIST ? 'allow-list' : 'known-good';
}

/** In its canonical form, IPv6 without brackets. Empty if the text is no URL. */
export function hostOfUrl(url: string): string {
  if (!URL.canParse(url)) return '';
  const { hostname } = new URL(url);
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
}
