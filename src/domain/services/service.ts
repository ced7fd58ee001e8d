import { UNCLAIMED } from './unclaimed.ts';

/** A service whose abuse is reported. It has one feed, and owns hosts and networks. */
export interface Service {
  readonly slug: string;
  readonly name: string;
  /** The upper end of `confidence` in its feed. */
  readonly confidenceScale: number;
  /** Host names, or `*.` and a name for its subdomains. */
  readonly hosts: readonly string[];
  /** CIDR notation. */
  readonly networks: readonly string[];
  /** An unresolved report expires this long after the last sighting of its C2. */
  readonly expireAfterDays: number;
  readonly createdAt: Date;
}

/** What services declare as their own, and share among their customers. */
export type DeclaredHosts = Pick<Service, 'hosts' | 'networks'>;

export const DEFAULT_CONFIDENCE_SCALE = 100;
export const DEFAULT_EXPIRE_AFTER_DAYS = 90;
/** Ten years: longer than any network address stays meaningful. */
export const MAX_EXPIRE_AFTER_DAYS = 3650;

const SLUG = /^[a-z0-9][a-z0-9-]{0,62}$/;
/** `/feed/all/…` reads all feeds. */
const ALL = 'all';

export function parseServiceSlug(text: string): string | undefined {
  return SLUG.test(text) && text !== ALL ? text : undefined;
}

/** The slug of a service that can be added: the built-in one exists. */
export function parseNewServiceSlug(text: string): string | undefined {
  return text === UNCLAIMED ? undefined : parseServiceSlug(text);
}

const HOST_PATTERN = /^(?:\*\.)?(?:[a-z0-9_-]{1,63}\.)*[a-z0-9_-]{1,63}$/i;

export function parseHostPattern(text: string): string | undefined {
  return text.length <= 253 && HOST_PATTERN.test(text) ? text.toLowerCase() : undefined;
}

/** CIDR notation of IPv4 or IPv6: `203.0.113.0/24`, `2001:db8::/32`. */
export function parseNetwork(text: string): string | undefined {
  const [address = '', length = '', ...rest] = text.split('/');
  if (rest.length > 0 || !/^(?:0|[1-9][0-9]{0,2})$/.test(length)) return undefined;
  if (/^\d+(?:\.\d+){3}$/.test(address)) {
    const octets = address.split('.').map(Number);
    const plain = octets.join('.') === address && octets.every((octet) => octet <= 255);
    return plain && Number(length) <= 32 ? text : undefined;
  }
  const isIpv6 = address.includes(':') && /^[0-9a-fA-F:.]+$/.test(address);
  if (!isIpv6 || !URL.canParse(`http://[${address}]/`)) return undefined;
  return Number(length) <= 128
    ? `${new URL(`http://[${address}]/`).hostname.slice(1, -1)}/${length}`
    : undefined;
}

/** The confidence of a report that states none: half of the scale. */
export function defaultConfidence(scale: number): number {
  return Math.floor(scale / 2);
}
