import { parseAddress } from '../domain/ip-address.ts';
import { mayConnectTo } from '../domain/public-address.ts';

export interface OutgoingRules {
  /** Whether plain http is allowed. */
  readonly allowHttp: boolean;
  /** Non-public networks (CIDR) that are allowed. */
  readonly allowedNetworks: readonly string[];
}

/** The parts of an allowed URL. */
export interface Target {
  readonly secure: boolean;
  /** A DNS name, or an address without brackets. */
  readonly host: string;
  readonly isAddress: boolean;
  readonly port: number;
  /** The value of the `Host` header. */
  readonly authority: string;
  readonly path: string;
}

/**
 * The URL parser removes line ends and tabs and trims white space and control characters, so the
 * stored URL would differ from the one that is requested.
 */
const CONTROL_CHARACTERS = /[\p{Cc}\p{Cf}\p{Z}]/u;

const MAX_URL_LENGTH = 2048;
const MIN_UNPRIVILEGED_PORT = 1024;

/**
 * Parses a URL, or returns why it is not allowed. The URL parser has normalized all spellings of an
 * address. Names are resolved later, before every connection.
 */
export function readTarget(text: string, rules: OutgoingRules): Target | string {
  if (text.length > MAX_URL_LENGTH) return `must have at most ${MAX_URL_LENGTH} characters`;
  if (CONTROL_CHARACTERS.test(text))
    return 'must not contain spaces, line ends or other control characters';
  if (!/^https?:\/\/[^\s\\/]/i.test(text) || !URL.canParse(text))
    return rules.allowHttp ? 'must be an http or https URL' : 'must be an https URL';
  const url = new URL(text);
  const secure = url.protocol === 'https:';
  if (!secure && !rules.allowHttp) return 'must be an https URL';
  if (/^[^/?#]*@/.test(text.slice(text.indexOf('//') + 2)))
    return 'must not contain a user name or password';
  if (text.includes('#')) return 'must not have a fragment';
  const standard = secure ? 443 : 80;
  const port = url.port === '' ? standard : Number(url.port);
  if (port < MIN_UNPRIVILEGED_PORT && port !== standard)
    return `must have the port ${standard} or one from ${MIN_UNPRIVILEGED_PORT} to 65535`;
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

/** RFC 6761, section 6.3: the name and its subdomains are the loopback address, without DNS. */
function isLocalhost(host: string): boolean {
  return /(?:^|\.)localhost\.?$/.test(host);
}
