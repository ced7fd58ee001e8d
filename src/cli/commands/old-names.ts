import { CommandError, EXIT } from '../command.ts';

/** The version that no longer knows the old names. */
const REMOVED_IN = '0.2.0';

type Options = Readonly<Record<string, string | boolean>>;

/** What a command line with an old name means for the new command. */
interface Replacement {
  /** The name of the new command. */
  readonly command: string;
  /** Options that the old name implies. Those on the command line win. */
  readonly options?: Options;
  /** An argument of the old name that is an option of the new one. */
  readonly option?: { readonly name: string; readonly index: number };
  /** An argument that the new one has in addition. */
  readonly argument?: { readonly value: string; readonly index: number };
}

/** A name that a command had before. */
export interface OldName extends Replacement {
  readonly name: string;
}

/** A former command for your own account never falls back to the store. */
const ON_SERVER = { store: false } as const;

const MAIL = { value: 'mail', index: 1 } as const;

/** Until 0.2.0, these names work too. A use of one prints the new one. */
const REPLACEMENTS: Readonly<Record<string, Replacement>> = {
  report: { command: 'report add' },
  'feed bulk': { command: 'report add' },
  'feed submit': { command: 'report add', option: { name: 'format', index: 1 } },
  'feed list': { command: 'report list' },
  'desk list': { command: 'report list', options: { status: 'open', order: 'asc' } },
  fetch: { command: 'report show', options: { 'as-reported': true } },
  'desk show': { command: 'report show' },
  'desk history': { command: 'report show', options: { history: true } },
  'desk set': { command: 'report set' },
  delete: { command: 'report remove' },
  'purge report': { command: 'report remove', options: { store: true } },
  proposals: { command: 'proposal list' },
  details: { command: 'lookup', options: { details: true } },
  upload: { command: 'sample add' },
  status: { command: 'sample status' },
  similar: { command: 'sample similar' },
  download: { command: 'sample download' },
  'purge sample': { command: 'sample remove' },
  c2: { command: 'c2 show' },
  route: { command: 'c2 show', options: { route: true } },
  statistics: { command: 'statistics show' },
  'stats service': { command: 'statistics show', options: { scorecard: true } },
  'stats reporter': { command: 'statistics show', option: { name: 'reporter', index: 0 } },
  usage: { command: 'usage show', options: ON_SERVER },
  balance: { command: 'usage show', options: { balance: true, ...ON_SERVER } },
  'account usage': { command: 'usage show', options: { store: true } },
  services: { command: 'service list', options: ON_SERVER },
  'service overlaps': { command: 'service list', options: { overlaps: true, store: true } },
  'mail show': { command: 'service show', options: { mail: true, ...ON_SERVER } },
  'ownership show': { command: 'service show', options: { ownership: true, ...ON_SERVER } },
  'ownership check': { command: 'service check' },
  'webhook enable': { command: 'webhook set', options: { enable: true } },
  'webhook deliveries': { command: 'delivery list' },
  'webhook replay': { command: 'delivery replay' },
  'webhook test': { command: 'delivery test' },
  'mail deliveries': { command: 'delivery list', argument: MAIL },
  'mail replay': { command: 'delivery replay', argument: MAIL },
  'mail test': { command: 'delivery test', argument: MAIL },
  'account end-sessions': { command: 'session end', options: { store: true } },
  'my-session end': { command: 'session end', options: ON_SERVER },
  'my-token list': { command: 'token list', options: ON_SERVER },
  'my-token issue': { command: 'token issue', options: ON_SERVER },
  'my-token revoke': { command: 'token revoke', options: ON_SERVER },
};

export const oldNames: readonly OldName[] = Object.entries(REPLACEMENTS).map(
  ([name, replacement]) => ({ name, ...replacement }),
);

interface Arguments {
  readonly positionals: readonly string[];
  readonly options: Readonly<Record<string, unknown>>;
}

/** The arguments of the new command. */
export function replaceArguments(old: OldName, { positionals, options }: Arguments): Arguments {
  const { option, argument } = old;
  const kept = [...positionals];
  const moved = option === undefined ? {} : { [option.name]: taken(kept, option) };
  if (argument !== undefined && kept.length >= argument.index)
    kept.splice(argument.index, 0, argument.value);
  return { positionals: kept, options: { ...old.options, ...moved, ...options } };
}

function taken(
  positionals: string[],
  { name, index }: NonNullable<OldName['option']>,
): string | undefined {
  const [value] = positionals.splice(index, 1);
  if (value === undefined) throw new CommandError(`<${name}> is missing`, EXIT.usage);
  return value;
}

/** What a user of an old name should type from now on. */
export function describeOldName({
  name,
  command,
  options = {},
  option,
  argument,
}: OldName): string {
  const now = [
    command,
    ...(argument === undefined ? [] : ['<service>', argument.value]),
    ...Object.entries(options).flatMap(([key, value]) => impliedWords(key, value)),
    ...(option === undefined ? [] : [`--${option.name} <${option.name}>`]),
  ].join(' ');
  return `\`rapsheet ${name}\` is now \`rapsheet ${now}\`; the old name works until ${REMOVED_IN}.`;
}

function impliedWords(name: string, value: string | boolean): readonly string[] {
  if (value === false) return [];
  return value === true ? [`--${name}`] : [`--${name}`, value];
}
