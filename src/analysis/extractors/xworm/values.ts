import { isUrl, parsePorts, splitList, validPorts } from '../endpoints/addresses.ts';
import { isHost } from '../endpoints/hosts.ts';
import type { DecryptedValue } from './decryption.ts';

/**
 * Assigns the decrypted values of XWorm to its settings. Many programs copied its encryption, so a
 * field name of the family is required; with obfuscated names, the order of the fields and a text
 * that only this family has.
 */
export interface XwormValues {
  readonly hosts: string;
  readonly ports: readonly number[];
  readonly group?: string | undefined;
  /** By the lower-case name of the field. */
  readonly named: ReadonlyMap<string, string>;
}

export function assignValues(values: readonly DecryptedValue[]): XwormValues | undefined {
  return valuesByName(values) ?? valuesByOrder(values);
}

const GROUP_NAMES = ['groub', 'group'];
/** Other programs have hosts and ports, too. */
const OWN_NAMES = ['groub', 'spl', 'usbnm'];

function valuesByName(values: readonly DecryptedValue[]): XwormValues | undefined {
  const named = new Map(values.map(({ field, text }) => [field.toLowerCase(), text]));
  const hosts = named.get('hosts') ?? named.get('host');
  const ports = validPorts(named.get('port') ?? named.get('ports') ?? '');
  if (hosts === undefined || (ports.length === 0 && !isUrl(hosts))) return undefined;
  if (!OWN_NAMES.some((name) => named.has(name))) return undefined;
  const group = GROUP_NAMES.map((name) => named.get(name)).find((text) => text !== undefined);
  return { hosts, ports, group, named };
}

/** Order of the fields, from the hosts on. */
const ORDER = ['hosts', 'port', 'key', 'spl', 'groub', 'usbnm', 'installdir', 'installstr'];
/** The first fields of `ORDER`, which all versions have. */
const COMMON_FIELDS = 6;
/** Other programs have a host and a port, too. */
const MIN_IN_ORDER = 5;

/** The port is the first number; the hosts precede it. */
function valuesByOrder(values: readonly DecryptedValue[]): XwormValues | undefined {
  const portIndex = values.findIndex(({ text }) => parsePorts(text) !== undefined);
  const found = values.slice(Math.max(portIndex - 1, 0));
  if (portIndex < 1 || found.length < MIN_IN_ORDER || !areConsecutive(found)) return undefined;
  const ordered = found.map(({ text }) => text);
  const [hosts, ports] = ordered;
  if (hosts === undefined || ports === undefined) return undefined;
  if (!areHosts(hosts) || !hasOwnText(ordered)) return undefined;
  const fixed = ordered.slice(0, isFileName(ordered[7]) ? ORDER.length : COMMON_FIELDS);
  const named = new Map(fixed.map((text, index) => [ORDER[index] ?? '', text]));
  for (const [name, text] of namedByForm(ordered.slice(fixed.length))) named.set(name, text);
  return { hosts, ports: parsePorts(ports) ?? [], group: named.get('groub'), named };
}

const FORMS: readonly (readonly [name: string, form: RegExp])[] = [
  ['token', /^\d{6,12}:[\w-]{30,50}$/],
  ['btc', /^(?:bc1[a-z0-9]{25,87}|[13][1-9A-HJ-NP-Za-km-z]{25,34})$/],
  ['eth', /^0x[0-9a-f]{40}$/i],
  ['trc', /^T[1-9A-HJ-NP-Za-km-z]{33}$/],
];

/** Names the fields after the fixed ones by their form. A chat id is the number after the token. */
function namedByForm(texts: readonly string[]): [name: string, text: string][] {
  return texts.flatMap((text, index) => {
    const [name] = FORMS.find(([, form]) => form.test(text)) ?? [];
    if (name === undefined) return [];
    const next = texts[index + 1] ?? '';
    const chat: [string, string][] =
      name === 'token' && /^-?\d{5,20}$/.test(next) ? [['chatid', next]] : [];
    return [[name, text], ...chat];
  });
}

/** If a value before the last fails to decrypt, the next would be taken for it. */
function areConsecutive(values: readonly DecryptedValue[]): boolean {
  const first = values[0]?.index ?? 0;
  return values.slice(0, MIN_IN_ORDER).every(({ index }, count) => index === first + count);
}

/** A key or delimiter such as `<Xwormmm>`, or the name of the family. */
function hasOwnText(ordered: readonly string[]): boolean {
  const [, , key = '', delimiter = ''] = ordered;
  const common = ordered.slice(0, COMMON_FIELDS);
  return (
    [key, delimiter].some((text) => /^<[^<>]{1,64}>$/.test(text)) ||
    common.some((text) => /xworm/i.test(text))
  );
}

function areHosts(text: string): boolean {
  const listed = splitList(text, ',');
  return listed.length > 0 && listed.every((host) => isUrl(host) || isHost(host));
}

function isFileName(text: string | undefined): boolean {
  return text !== undefined && /^[^\\/:*?"<>|]+\.\w{2,4}$/.test(text);
}
