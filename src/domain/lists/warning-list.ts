import { EXACT, type ListEntry, parseListEntry } from './list-entry.ts';
import type { ListKind } from './list-kind.ts';

/**
 * The format of MISP's warning lists (https://github.com/MISP/misp-warninglists). `hostname`: names
 * that cover the names below them. `string`: names that cover themselves alone. `cidr`: networks.
 * Any of these types may have addresses, networks and digests of files.
 */
const LIST_TYPES = ['hostname', 'string', 'cidr'] as const;
type ListType = (typeof LIST_TYPES)[number];

/** Types that cannot be compared with a host for certain, and why. */
const REFUSED_TYPES: Readonly<Record<string, string>> = {
  regex: 'an expression of the sender would run for every report',
  substring: 'a part of a name also occurs in the names of others',
};

/** All lists together. */
export const MAX_ENTRIES = 1_000_000;
/** Of all addresses. A list may not make a large part of the Internet innocent. */
const MAX_SHARE = 1 / 4;

export interface WarningList {
  readonly name: string;
  /** As they were written; `=` marks names that cover themselves alone. */
  readonly entries: readonly string[];
}

/** Reads a warning list. `problem` is a sentence. */
export function readWarningList(value: unknown): WarningList | { readonly problem: string } {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { problem: 'The list is not a JSON object.' };
  const { name, type, list } = value as Readonly<Record<string, unknown>>;
  const refusal = refuseType(type);
  if (refusal !== undefined) return { problem: refusal };
  if (!Array.isArray(list)) return { problem: 'The list has no array `list`.' };
  if (list.length > MAX_ENTRIES)
    return { problem: `The list has more than ${MAX_ENTRIES} entries.` };
  const other = list.findIndex((entry) => typeof entry !== 'string');
  if (other !== -1) return { problem: `Entry ${other + 1} of the list is not a text.` };
  const entries = list as readonly string[];
  return {
    name: typeof name === 'string' ? name : '',
    entries: type === 'string' ? entries.map((entry) => `${EXACT}${entry}`) : entries,
  };
}

function refuseType(type: unknown): string | undefined {
  if (LIST_TYPES.includes(type as ListType)) return undefined;
  const known = `The type of a list must be one of ${LIST_TYPES.join(', ')}`;
  const reason = typeof type === 'string' ? REFUSED_TYPES[type] : undefined;
  return reason === undefined ? `${known}.` : `${known}, not ${type}: ${reason}.`;
}

/** Parsed entries, each once, and the first that were refused. */
export class EntryReader {
  readonly #kind: ListKind;
  readonly #share = { ipv4: 0, ipv6: 0 };
  /** The number of refused entries. */
  refused = 0;
  /** A sentence about the first of them. */
  problem: string | undefined;

  constructor(kind: ListKind) {
    this.#kind = kind;
  }

  /** The entry in its canonical form; `undefined` if it is refused. */
  read(text: string): ListEntry | undefined {
    const parsed = parseListEntry(undotted(text), this.#kind);
    const problem = 'problem' in parsed ? parsed.problem : this.#count(parsed.entry);
    if (problem === undefined && 'entry' in parsed) return parsed.entry;
    this.refused += 1;
    this.problem ??= `The entry ${JSON.stringify(shown(text))} ${problem}.`;
    return undefined;
  }

  #count(entry: ListEntry): string | undefined {
    const slash = entry.indexOf('/');
    if (slash === -1) return undefined;
    const version = entry.includes(':') ? 'ipv6' : 'ipv4';
    const share = this.#share[version] + 2 ** -Number(entry.slice(slash + 1));
    if (share > MAX_SHARE) return 'makes the list cover more than a quarter of all addresses';
    this.#share[version] = share;
    return undefined;
  }
}

/** Lists of MISP write `.example.com` for a name and those below it. */
function undotted(text: string): string {
  return text.startsWith('.') ? text.slice(1) : text.replace(/^=\./, EXACT);
}

const SHOWN_LENGTH = 80;

function shown(text: string): string {
  const plain = text.startsWith(EXACT) ? text.slice(EXACT.length) : text;
  return plain.length > SHOWN_LENGTH ? `${plain.slice(0, SHOWN_LENGTH)}…` : plain;
}
