import { mayConnectTo, parseAddress } from '../domain/webhooks/public-address.ts';

export interface OutgoingRules {
  /** Whether http without TLS may be used. */
  readonly allowHttp: boolean;
  /** Networks (CIDR) that may be connected to although they are not public. */
  readonly allowedNetworks: readonly string[];
}

/** A URL that may be tried. */
export interface Target {
  readonly secure: boolean;
  /** A name, or an address without brackets. */
  readonly host: string;
  readonly isAddress: boolean;
  readonly port: number;
  /** As `Host` has it. */
  readonly authority: string;
  readonly path: string;
}

/**
 * The URL parser takes line ends and tabs out and trims white space and control characters, so what is stored and shown would
 * not be what is connected to.
 */
const CONTROL_CHARACTERS = /[\p{Cc}\p{Cf}\p{Z}]/u;

const MAX_URL_LENGTH = 2048;
const LOWEST_FREE_PORT = 1024;

/**
 * Reads a URL, or says what is wrong with it. Addresses in all their spellings have become plain ones here, since the
 * URL parser writes them anew; names are looked up later, before every connection.
 */
export function readTarget(text: string, rules: OutgoingRules): Target | string {
  if (text.length > MAX_URL_LENGTH) return `must have at most ${MAX_URL_LENGTH} characters`;
  if (CONTROL_CHARACTERS.test(text))
    return 'must not hold spaces, line ends or other control characters';
  if (!/^https?:\/\/[^\s\\/]/i.test(text) || !URL.canParse(text))
    return rules.allowHttp ? 'must be an http or https URL' : 'must be an https URL';
  const url = new URL(text);
  const secure = url.protocol === 'https:';
  if (!secure && !rules.allowHttp) return 'must be an https URL';
  if (/^[^/?#]*@/.test(text.slice(text.indexOf('//') + 2)))
    return 'must not hold a user name or password';
  if (text.includes('#')) return 'must not have a fragment';
  const standard = secure ? 443 : 80;
  const port = url.port === '' ? standard : Number(url.port);
  if (port < LOWEST_FREE_PORT && port !== standard)
    return `must have the port ${standard} or one from ${LOWEST_FREE_PORT} on`;
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const isAddress = parseAddress(host) !== undefined;
  const refusal = refusalOfHost(host, isAddress, rules.allowedNetworks);
  if (refusal !== undefined) return refusal;
  return { secure, host, isAddress, port, authority: url.host, path: url.pathname + url.search };
}

const LOOPBACKS = ['127.0.0.1', '::1'];

function refusalOfHost(
  host: string,
  isAddress: boolean,
  allowed: readonly string[],
): string | undefined {
  if (isAddress)
    return mayConnectTo(host, allowed) ? undefined : 'must not name a private or reserved address';
  const isRefused = isLocalhost(host) && !LOOPBACKS.some((one) => mayConnectTo(one, allowed));
  return isRefused ? 'must not name this machine (localhost)' : undefined;
}

/** RFC 6761, section 6.3: the name and all below it are the loopback's, whatever a name server says. */
function isLocalhost(host: string): boolean {
  return /(?:^|\.)localhost\.?$/.test(host);
}
