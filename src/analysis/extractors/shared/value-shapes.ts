import { parseC2Address } from '../../../domain/reports/c2-address.ts';
import { parseHostPort, splitList } from './addresses.ts';

/**
 * What values of settings look like. Names of fields lie or are gone; a host or a mail address still has its
 * form.
 */

/** `0.7d` could be a name, but no top-level domain begins with a digit; four numbers are an address. */
const VERSION_LIKE = /\.\d+[a-z_]\w*$/i;

/** A name of two labels or more, an address, or this machine (test builds). IPv6 with or without brackets. */
export function isHost(stated: string): boolean {
  const text = withoutRoot(stated);
  if (text === 'localhost') return true;
  // What analysts write to disarm a name is not what a program connects to.
  if (!/[.:]/.test(text) || /.[[(]/.test(text)) return false;
  if (text.startsWith('[')) return parseC2Address(`${text}:1`) !== undefined;
  if (text.includes(':')) return parseC2Address(`[${text}]:1`) !== undefined;
  return !VERSION_LIKE.test(text.slice(-8)) && parseC2Address(`${text}:1`) !== undefined;
}

/** A name may end with the dot of the root, which changes nothing of where it leads. */
export function withoutRoot(host: string): string {
  return /[^.]\.$/.test(host.slice(-2)) ? host.slice(0, -1) : host;
}

/** `host:port` with a host that may be one. */
export function parsePlace(text: string): { host: string; port: number } | undefined {
  const host = text.slice(0, Math.max(text.lastIndexOf(':'), 0));
  // Of a bare IPv6 address the last group would be taken for a port.
  if (!isHost(host) || (host.includes(':') && !host.startsWith('['))) return undefined;
  return parseHostPort(text);
}

export function isMailAddress(text: string): boolean {
  const [name = '', host = '', ...more] = text.slice(0, 321).split('@');
  return /^[^\s<>"(),:;]{1,64}$/.test(name) && more.length === 0 && isHost(host);
}

/** What a builder puts a value in place of: `%Hosts%`, `[H]`, `#IP#`, `$%SMTPEmail$`. */
export function isPlaceholder(text: string): boolean {
  return /^(?:\[\w{1,40}\]|%\w{1,40}%|#\w{1,40}#|\{\w{1,40}\}|\$%?\w{1,40}%?\$)$/.test(text);
}

/** The hosts of a list whose reading is proved by other means: all but what says that there is none. */
export function listedHosts(text: string): string[] {
  return splitList(text, ',').filter((host) => host !== 'null' && !isPlaceholder(host));
}
