import { domainToASCII } from 'node:url';

/** A command-and-control address. `host` is canonical, IPv6 without its brackets. */
export interface C2Address {
  readonly host: string;
  readonly port: number;
}

const DEFANGED_DOT = /\[\.\]|\(\.\)|\[dot\]/gi;
const DEFANGED_COLON = /\[:\](?=\d+$)/;
const PORT = /^[1-9][0-9]{0,4}$/;
const DOTTED_QUAD =
  /^(?:(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])\.){3}(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])$/;
const NAME = /^(?:[a-z0-9_-]{1,63}\.)*[a-z0-9_-]{1,63}$/;
/** A label that a resolver or a browser would parse as a number, and so as part of an address. */
const NUMERIC = /^(?:[0-9]+|0x[0-9a-f]*)$/;
const MAX_NAME_LENGTH = 253;
/** The longest name with all dots defanged as "[dot]", and a port. Longer text is refused. */
const MAX_TEXT_LENGTH = 1024;

/**
 * Parses `host:port`: a dotted quad, a bracketed IPv6 address or a DNS name. Defanged dots are
 * accepted, because analysts paste them.
 */
export function parseC2Address(text: string): C2Address | undefined {
  if (text.length > MAX_TEXT_LENGTH) return undefined;
  const refanged = refang(text);
  const colon = refanged.lastIndexOf(':');
  if (colon < 1) return undefined;
  const portText = refanged.slice(colon + 1);
  const port = Number(portText);
  if (!PORT.test(portText) || port > 65_535) return undefined;
  const host = parseHost(refanged.slice(0, colon));
  return host === undefined ? undefined : { host, port };
}

/**
 * The address of a host and a port that are separate, as in the settings of malware. An IPv6
 * address may have brackets. Defanged text is refused: a program could not use it.
 */
export function c2AddressOf(host: string, port: number): C2Address | undefined {
  if (host.length > MAX_TEXT_LENGTH || !Number.isInteger(port) || port < 1 || port > 65_535)
    return undefined;
  const canonical = parseHost(host) ?? parseIpv6(`[${host}]`);
  return canonical === undefined ? undefined : { host: canonical, port };
}

export function formatC2Address({ host, port }: C2Address): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

function refang(text: string): string {
  // Nearly all input has no bracket or parenthesis.
  if (!/[[(]/.test(text)) return text;
  return text.replace(DEFANGED_DOT, '.').replace(DEFANGED_COLON, ':');
}

function parseHost(text: string): string | undefined {
  if (DOTTED_QUAD.test(text)) return text;
  if (text.startsWith('[')) return parseIpv6(text);
  return parseName(text);
}

/** The URL parser reads RFC 4291 and writes RFC 5952. The first test refuses zones and names. */
function parseIpv6(text: string): string | undefined {
  if (!/^\[[0-9a-fA-F:.]+\]$/.test(text) || !URL.canParse(`http://${text}/`)) return undefined;
  return new URL(`http://${text}/`).hostname.slice(1, -1);
}

function parseName(text: string): string | undefined {
  const name = toAsciiName(text);
  if (name === undefined || name.length > MAX_NAME_LENGTH || !NAME.test(name)) return undefined;
  return endsInNumber(name) ? undefined : name;
}

/** Whether the last label of a lower-case name is a number. */
export function endsInNumber(name: string): boolean {
  return NUMERIC.test(name.slice(name.lastIndexOf('.') + 1));
}

function toAsciiName(text: string): string | undefined {
  if (/^[a-z0-9._-]*$/i.test(text)) return text.toLowerCase();
  // Other ASCII characters are refused: the converter would decode "%2e", for example.
  if (!/^[a-z0-9._\-\u{80}-\u{10ffff}]*$/iu.test(text) || isDisguised(text)) return undefined;
  const ascii = domainToASCII(text);
  return ascii === '' ? undefined : ascii;
}

/** Characters that the converter drops, and a last label that is a number in another script. */
const DISGUISE = /(?![\u200c\u200d])\p{Default_Ignorable_Code_Point}|(?:^|\.)\p{Nd}+$/u;

/**
 * The converter folds full-width letters, circled digits or an ideographic full stop into ASCII. A
 * report must not name a host that its text does not spell.
 */
function isDisguised(text: string): boolean {
  if (DISGUISE.test(text)) return true;
  const others = text.replace(/[\0-\x7f]/g, '');
  return [...others].some((character) => /[\0-\x7f\u3002]/.test(character.normalize('NFKC')));
}
