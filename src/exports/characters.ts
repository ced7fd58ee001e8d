/**
 * What the formats may contain. Values are typed already; these checks are the second line of
 * defence, so that a defect elsewhere cannot turn a report into a rule, a directive or a formula.
 */

export type HostKind = 'ipv4' | 'ipv6' | 'name';

const IPV4 = /^(?:[0-9]{1,3}\.){3}[0-9]{1,3}$/;
const IPV6 = /^[0-9a-f:]{2,39}$/;
const NAME = /^(?:[a-z0-9_-]{1,63}\.)*[a-z0-9_-]{1,63}$/;
const MAX_NAME_LENGTH = 253;
const SHA256 = /^[0-9a-f]{64}$/;

/** `undefined` for a host that no list may contain. Upper case is one: hosts are canonical. */
export function hostKind(host: string): HostKind | undefined {
  if (IPV4.test(host)) return 'ipv4';
  if (host.includes(':')) return IPV6.test(host) ? 'ipv6' : undefined;
  return host.length <= MAX_NAME_LENGTH && NAME.test(host) ? 'name' : undefined;
}

export function isPort(port: number): boolean {
  return Number.isInteger(port) && port >= 1 && port <= 65_535;
}

export function isSha256(text: string): boolean {
  return SHA256.test(text);
}

/**
 * Control characters, those that some readers take as the end of a line (U+0085, U+2028, U+2029),
 * marks of the text direction, and halves of surrogate pairs, which UTF-8 cannot encode.
 */
const UNPRINTABLE = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}\ufeff]/gu;

/** Nearly every text is, and this test is ten times as fast. */
const PLAIN = /^[\x20-\x7e]*$/;

/** The text on one line: what must not be written becomes U+FFFD. */
export function oneLine(text: string): string {
  return PLAIN.test(text) ? text : text.replace(UNPRINTABLE, '\ufffd');
}

/** For comments: printable ASCII alone, which every format accepts after its comment sign. */
export function asciiLine(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, '?');
}
