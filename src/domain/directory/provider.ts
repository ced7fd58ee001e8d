import { formatAddress, readNetwork } from '../ip-address.ts';
import { parseMailAddress } from '../mail/mail-settings.ts';
import { isRegistrySuffix } from '../public-suffix.ts';
import { c2AddressOf } from '../reports/c2-address.ts';
import { isReference, isVisible } from '../reports/report.ts';
import { isAddress } from '../search-query.ts';
import { parseNetwork } from '../services/service.ts';
import { parseDay } from '../utc-days.ts';

/** A file of the directory: a company that answers for names and networks, with sourced facts. */

export const PROVIDER_KINDS = [
  'tunnel',
  'dynamic-dns',
  'hosting',
  'cdn',
  'file-hosting',
  'messaging',
  'shortener',
  'registrar',
] as const;
export type ProviderKind = (typeof PROVIDER_KINDS)[number];

export interface Fact {
  readonly value: string;
  /** The https URL of the page that says so. */
  readonly source: string;
  /** The day on which the page said so. */
  readonly date: Date;
}

export interface Provider {
  readonly name: string;
  readonly kind: ProviderKind;
  /** Each covers the name itself and all names below it. */
  readonly suffixes: readonly Fact[];
  /** In CIDR notation. */
  readonly networks: readonly Fact[];
  /** Where abuse is reported. */
  readonly mail: Fact | undefined;
  readonly form: Fact | undefined;
  /** The feed of the provider on a Rapsheet server. */
  readonly feed: Fact | undefined;
}

/** What is wrong has a sentence for each problem, which begins with the name of the field. */
export type ParsedProvider =
  | { readonly kind: 'provider'; readonly provider: Provider }
  | { readonly kind: 'wrong'; readonly problems: readonly string[] };

const FIELDS = ['name', 'kind', 'suffixes', 'networks', 'mail', 'form', 'feed'];
const FACT_FIELDS = ['value', 'source', 'date'];
const MAX_NAME_LENGTH = 100;
const MAX_SHOWN_LENGTH = 80;
/** A network with a shorter prefix has the addresses of more than one company. */
const SHORTEST_PREFIX = { ipv4: 8, ipv6: 16 };

type Json = Readonly<Record<string, unknown>>;
/** Returns what is wrong with the value of a fact; `undefined`: nothing. */
type Rule = (value: string) => string | undefined;

/** Reads the JSON value of a file. One wrong fact refuses the whole file. */
export function parseProvider(json: unknown): ParsedProvider {
  if (!isObject(json)) return { kind: 'wrong', problems: ['the file must hold a JSON object'] };
  const reader = new FactReader();
  reader.knows(json, FIELDS, '');
  const { name, kind } = json;
  if (typeof name !== 'string' || name.length > MAX_NAME_LENGTH || !isVisible(name))
    reader.problems.push(`name must be a text of 1 to ${MAX_NAME_LENGTH} visible characters`);
  if (!isKind(kind)) reader.problems.push(`kind must be one of ${PROVIDER_KINDS.join(', ')}`);
  const provider = {
    name: String(name),
    kind: kind as ProviderKind,
    suffixes: reader.facts(json, 'suffixes', suffixProblem),
    networks: reader.facts(json, 'networks', networkProblem),
    mail: reader.optional(json, 'mail', mailProblem),
    form: reader.optional(json, 'form', urlProblem),
    feed: reader.optional(json, 'feed', urlProblem),
  };
  if (reader.isEmpty(json))
    reader.problems.push('suffixes or networks must have at least one fact');
  const { problems } = reader;
  return problems.length === 0 ? { kind: 'provider', provider } : { kind: 'wrong', problems };
}

/** Collects what is wrong while it reads. */
class FactReader {
  readonly problems: string[] = [];

  knows(object: Json, fields: readonly string[], path: string): void {
    for (const field of Object.keys(object))
      if (!fields.includes(field))
        this.problems.push(`${path}${shown(field)} is not a field: use ${fields.join(', ')}`);
  }

  isEmpty({ suffixes, networks }: Json): boolean {
    return [suffixes, networks].every((list) => list === undefined || isEmptyList(list));
  }

  facts(object: Json, field: string, rule: Rule): readonly Fact[] {
    const list = object[field];
    if (list === undefined) return [];
    if (!Array.isArray(list)) {
      this.problems.push(`${field} must be a list of facts`);
      return [];
    }
    const found = list.map((one, index) => this.#fact(one, `${field}[${index}]`, rule));
    return found.filter((fact) => fact !== undefined);
  }

  optional(object: Json, field: string, rule: Rule): Fact | undefined {
    return object[field] === undefined ? undefined : this.#fact(object[field], field, rule);
  }

  #fact(json: unknown, path: string, rule: Rule): Fact | undefined {
    if (!isObject(json)) {
      this.problems.push(`${path} must be an object with ${FACT_FIELDS.join(', ')}`);
      return undefined;
    }
    this.knows(json, FACT_FIELDS, `${path}.`);
    const { value, source, date } = json;
    const text = this.#text(value, `${path}.value`, rule);
    const page = this.#text(source, `${path}.source`, urlProblem);
    const day = this.#text(date, `${path}.date`, dayProblem);
    if (text === undefined || page === undefined || day === undefined) return undefined;
    return { value: text, source: page, date: new Date(`${day}T00:00:00Z`) };
  }

  #text(json: unknown, path: string, rule: Rule): string | undefined {
    const problem = typeof json === 'string' ? rule(json) : 'must be a text';
    if (problem === undefined) return String(json);
    const given = typeof json === 'string' ? ` (it is ${shown(json)})` : '';
    this.problems.push(`${path} ${problem}${given}`);
    return undefined;
  }
}

function suffixProblem(value: string): string | undefined {
  const host = c2AddressOf(value, 1)?.host;
  if (host !== value || isAddress(value))
    return 'must be a DNS name in lower case, without "*." and without a dot at its ends, names in other scripts as "xn--…"';
  return isRegistrySuffix(value)
    ? 'must be a name of the provider, not one under which anybody can register names'
    : undefined;
}

function networkProblem(value: string): string | undefined {
  if (parseNetwork(value) === undefined)
    return 'must be a network in CIDR notation, such as 203.0.113.0/24';
  const { bytes, length } = readNetwork(value);
  const canonical = `${formatAddress(prefixOf(bytes, length))}/${length}`;
  if (canonical !== value) return `must be written as ${canonical}`;
  const shortest = bytes.length === 4 ? SHORTEST_PREFIX.ipv4 : SHORTEST_PREFIX.ipv6;
  return length < shortest ? `must have a prefix of at least ${shortest} bits` : undefined;
}

/** Without the bits after the prefix. */
function prefixOf(bytes: readonly number[], length: number): readonly number[] {
  return bytes.map((byte, index) => {
    const spare = Math.min(8, Math.max(0, 8 * (index + 1) - length));
    return (byte >> spare) << spare;
  });
}

function mailProblem(value: string): string | undefined {
  return parseMailAddress(value) === value ? undefined : 'must be a mail address';
}

function urlProblem(value: string): string | undefined {
  return value.startsWith('https://') && isReference(value) ? undefined : 'must be an https URL';
}

function dayProblem(value: string): string | undefined {
  return parseDay(value) === undefined ? 'must be a day such as 2026-01-31' : undefined;
}

function isKind(value: unknown): value is ProviderKind {
  return PROVIDER_KINDS.some((kind) => kind === value);
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

function shown(text: string): string {
  const cut = text.length > MAX_SHOWN_LENGTH ? `${text.slice(0, MAX_SHOWN_LENGTH)}…` : text;
  return JSON.stringify(cut);
}
