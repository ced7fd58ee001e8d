import type { ParseArgsOptionsConfig } from 'node:util';
import type { ListOptions } from '../../client/feeds.ts';
import { CommandError, type CommandInput, EXIT } from '../command.ts';

/** A filter of reports, with the parameter names of the API. */
export type ReportFilter = Pick<
  ListOptions,
  | 'created_after'
  | 'created_before'
  | 'name'
  | 'tag'
  | 'host'
  | 'port'
  | 'c2'
  | 'hash'
  | 'reporter'
  | 'min_confidence'
  | 'confirmation'
  | 'misrouted'
  | 'status'
>;

const FILTERS = [
  ['name', '<name>'],
  ['tag', '<tag>'],
  ['host', '<host>'],
  ['port', '<n>'],
  ['c2', '<host:port>'],
  ['hash', '<sha256>'],
  ['reporter', '<account>'],
  ['min-confidence', '<n>'],
  ['confirmation', '<confirmation>'],
  ['misrouted', '<true|false>'],
  ['status', '<status>'],
  ['since', '<time>'],
  ['until', '<time>'],
] as const;

/** The prefix avoids a conflict with other options of the command, such as `--status`. */
export function filterOptions(prefix = ''): ParseArgsOptionsConfig {
  return Object.fromEntries(
    FILTERS.map(([name]) => [`${prefix}${name}`, { type: 'string', multiple: name === 'tag' }]),
  );
}

export function filterUsage(prefix = ''): string {
  return FILTERS.map(
    ([name, value]) => `[--${prefix}${name} ${value}]${name === 'tag' ? '…' : ''}`,
  ).join(' ');
}

/** The values are validated by the server, whose errors list the valid ones. */
export function readFilter(options: CommandInput['options'], prefix = ''): ReportFilter {
  const text = (name: string) => options[`${prefix}${name}`] as string | undefined;
  return {
    created_after: startOfDay(text('since')),
    created_before: startOfDay(text('until')),
    tag: options[`${prefix}tag`] as readonly string[] | undefined,
    name: text('name'),
    host: text('host'),
    port: wholeNumber(options, `${prefix}port`),
    c2: text('c2'),
    hash: text('hash'),
    reporter: text('reporter'),
    min_confidence: wholeNumber(options, `${prefix}min-confidence`),
    confirmation: text('confirmation'),
    misrouted: flag(options, `${prefix}misrouted`),
    status: text('status'),
  };
}

export function wholeNumber(options: CommandInput['options'], name: string): number | undefined {
  const text = options[name];
  if (text === undefined) return undefined;
  if (typeof text === 'string' && /^\d{1,9}$/.test(text)) return Number(text);
  throw new CommandError(`--${name} must be a whole number`, EXIT.usage);
}

function flag(options: CommandInput['options'], name: string): boolean | undefined {
  const text = options[name];
  if (text === undefined) return undefined;
  if (text === 'true' || text === 'false') return text === 'true';
  throw new CommandError(`--${name} must be true or false`, EXIT.usage);
}

/** A date without a time is the start of that day. */
function startOfDay(text: string | undefined): string | undefined {
  return text !== undefined && /^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00:00Z` : text;
}
