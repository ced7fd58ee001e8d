import type { ListOptions } from '../../client/feeds.ts';
import { CONFIRMATIONS } from '../../domain/reports/confirmation.ts';
import { DESK_STATUSES } from '../../domain/reports/desk.ts';
import { CommandError, type CommandInput, type CommandOptions, EXIT } from '../command.ts';

/** A filter of reports, with the parameter names of the API. */
export type ReportFilter = Pick<
  ListOptions,
  | 'created_after'
  | 'created_before'
  | 'name'
  | 'tag'
  | 'host'
  | 'port'
  | 'domain'
  | 'c2'
  | 'hash'
  | 'reporter'
  | 'min_confidence'
  | 'confirmation'
  | 'misrouted'
  | 'status'
>;

interface Filter {
  readonly name: string;
  /** The placeholder in the usage line. */
  readonly placeholder: string;
  /** The possible values, if they are few. */
  readonly values?: readonly string[];
  readonly description: string;
}

const FILTERS: readonly Filter[] = [
  { name: 'name', placeholder: '<name>', description: 'The name of the malware' },
  { name: 'tag', placeholder: '<tag>', description: 'A tag of the report; all must match' },
  { name: 'host', placeholder: '<host>', description: 'The host of the C2' },
  { name: 'domain', placeholder: '<name>', description: 'The host of the C2, or a name above it' },
  { name: 'port', placeholder: '<n>', description: 'The port of the C2' },
  { name: 'c2', placeholder: '<host:port>', description: 'The address of the C2' },
  { name: 'hash', placeholder: '<sha256>', description: 'The file that calls the C2' },
  { name: 'reporter', placeholder: '<account>', description: 'The account that reported' },
  { name: 'min-confidence', placeholder: '<n>', description: 'At least this confidence' },
  {
    name: 'confirmation',
    placeholder: '<confirmation>',
    values: CONFIRMATIONS,
    description: 'Whether the settings of the file name the C2',
  },
  {
    name: 'misrouted',
    placeholder: 'true|false',
    values: ['true', 'false'],
    description: 'Whether another service answers for the C2',
  },
  {
    name: 'status',
    placeholder: '<status>',
    values: [...DESK_STATUSES, 'expired'],
    description: 'The status at the abuse desk',
  },
  { name: 'since', placeholder: '<time>', description: 'Reported since this time or day' },
  { name: 'until', placeholder: '<time>', description: 'Reported before this time or day' },
];

/** The prefix avoids a conflict with other options of the command, such as `--status`. */
export function filterOptions(prefix = ''): CommandOptions {
  return Object.fromEntries(
    FILTERS.map(({ name, placeholder, values, description }) => [
      `${prefix}${name}`,
      {
        type: 'string',
        multiple: name === 'tag',
        value: values?.join('|') ?? placeholder,
        description,
      },
    ]),
  );
}

export function filterUsage(prefix = ''): string {
  return FILTERS.map(
    ({ name, placeholder }) => `[--${prefix}${name} ${placeholder}]${name === 'tag' ? '…' : ''}`,
  ).join(' ');
}

/** The values are validated by the server, whose errors list the valid ones. */
export function readFilter(options: CommandInput['options'], prefix = ''): ReportFilter {
  const text = (name: string) => options[`${prefix}${name}`] as string | undefined;
  return {
    created_after: dayOrTime(options, `${prefix}since`),
    created_before: dayOrTime(options, `${prefix}until`),
    tag: options[`${prefix}tag`] as readonly string[] | undefined,
    name: text('name'),
    host: text('host'),
    domain: text('domain'),
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
function dayOrTime(options: CommandInput['options'], name: string): string | undefined {
  const text = options[name] as string | undefined;
  if (text === undefined) return undefined;
  if (/^\d{4}-\d\d-\d\d$/.test(text)) return `${text}T00:00:00Z`;
  if (/^\d{4}-\d\d-\d\dT/.test(text)) return text;
  throw new CommandError(
    `--${name} must be a day (2026-08-01) or a time (2026-08-01T12:00:00Z)`,
    EXIT.usage,
  );
}
