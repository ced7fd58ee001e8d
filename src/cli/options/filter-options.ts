import type { ParseArgsOptionsConfig } from 'node:util';
import type { ListOptions } from '../../client/feeds.ts';
import { CommandError, type CommandInput, EXIT } from '../command.ts';

/** Which reports are meant: a member of it is what the API calls by the same name. */
export type ReportChoice = Pick<
  ListOptions,
  | 'created_after'
  | 'created_before'
  | 'tag'
  | 'host'
  | 'port'
  | 'c2'
  | 'hash'
  | 'reporter'
  | 'min_confidence'
  | 'status'
>;

const FILTERS = [
  ['tag', '<tag>'],
  ['host', '<host>'],
  ['port', '<n>'],
  ['c2', '<host:port>'],
  ['hash', '<sha256>'],
  ['reporter', '<account>'],
  ['min-confidence', '<n>'],
  ['status', '<status>'],
  ['since', '<time>'],
  ['until', '<time>'],
] as const;

/** Where a command has a status of its own, a prefix tells them apart. */
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

/** What is given is left to the server to judge, whose sentences say what is right. */
export function readChoice(options: CommandInput['options'], prefix = ''): ReportChoice {
  const text = (name: string) => options[`${prefix}${name}`] as string | undefined;
  return {
    created_after: startOfDay(text('since')),
    created_before: startOfDay(text('until')),
    tag: options[`${prefix}tag`] as readonly string[] | undefined,
    host: text('host'),
    port: wholeNumber(options, `${prefix}port`),
    c2: text('c2'),
    hash: text('hash'),
    reporter: text('reporter'),
    min_confidence: wholeNumber(options, `${prefix}min-confidence`),
    status: text('status'),
  };
}

export function wholeNumber(options: CommandInput['options'], name: string): number | undefined {
  const text = options[name];
  if (text === undefined) return undefined;
  if (typeof text === 'string' && /^\d{1,9}$/.test(text)) return Number(text);
  throw new CommandError(`--${name} must be a whole number`, EXIT.usage);
}

/** A day alone is when it begins. */
function startOfDay(text: string | undefined): string | undefined {
  return text !== undefined && /^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00:00Z` : text;
}
