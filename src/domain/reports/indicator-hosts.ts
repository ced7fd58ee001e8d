import { ALLOW_LIST } from '../lists/allow-list.ts';
import type { KnownLists } from '../lists/known-lists.ts';
import type { KnownAs } from '../lists/list-kind.ts';
import { type HostReservation, reservationOf } from './reserved-host.ts';

/** Why a host is never an indicator. */
export type HostProtection =
  | HostReservation
  | 'allow-list'
  | 'known-good'
  | 'sinkhole'
  | 'own-server';

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
    return reservationOf(host) ?? protectionBy(this.#lists.protectionOfHost(host));
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
