import type { SetStatusesBody } from '../../../client/wire.ts';
import { DESK_REASONS, DESK_STATUSES } from '../../../domain/reports/desk.ts';
import { type Command, CommandError, type CommandInput, EXIT } from '../../command.ts';
import { connect } from '../../connection.ts';
import {
  countMatching,
  describeMatching,
  type Selection,
  setMatching,
} from '../../feeds/matching-reports.ts';
import { canAsk, confirm } from '../../input/confirm.ts';
import { connectionOptions } from '../../options/connection-options.ts';
import {
  filterOptions,
  filterUsage,
  type ReportFilter,
  readFilter,
} from '../../options/filter-options.ts';

type StatusChange = Pick<SetStatusesBody, 'status' | 'reason' | 'note'>;

const WHERE = 'where-';
const OF_MANY = ['dry-run', 'yes'];

export const reportSet: Command = {
  usage: `<service> <id>…|--all-matching ${filterUsage(WHERE)} --status <status> [--reason <reason>] [--note <text>] [--dry-run|--yes]`,
  arguments: {
    '<service>': 'The slug of the service',
    '<id>…': 'The ids of the reports, unless --all-matching is given',
  },
  options: {
    ...connectionOptions,
    ...filterOptions(WHERE),
    'all-matching': {
      type: 'boolean',
      description:
        'Change all reports that match the --where filters; only open and acknowledged ones, unless --where-status names another status',
    },
    'dry-run': {
      type: 'boolean',
      description: 'With --all-matching: only say how many reports match',
    },
    yes: {
      type: 'boolean',
      description: 'With --all-matching: do not ask, as on a terminal',
    },
    status: { type: 'string', value: DESK_STATUSES.join('|'), description: 'The new status' },
    reason: {
      type: 'string',
      value: Object.values(DESK_REASONS).flat().join('|'),
      description: 'Why, for actioned and rejected',
    },
    note: { type: 'string', value: '<text>', description: 'A note, which the reporter sees' },
  },
  examples: [
    {
      command:
        'rapsheet report set ply 0192f6c1-7d4e-7c3a-9b1d-3f2a5c6e7d80 --status actioned --reason taken_down',
      description: 'Answer a report',
    },
    {
      command:
        'rapsheet report set ply --all-matching --where-host tunnel.ply.example --where-status open --status acknowledged',
      description: 'Acknowledge all open reports of a host',
    },
    {
      command:
        'rapsheet report set ply --all-matching --where-host tunnel.ply.example --status actioned --reason taken_down --dry-run',
      description: 'See how many undecided reports of a host there are',
    },
  ],
  positionals: [1, Number.POSITIVE_INFINITY],
  async run(input) {
    const [service = '', ...ids] = input.positionals;
    const change = readStatus(input.options);
    const filter = readTarget(input.options, ids);
    if (filter !== undefined) return changeMatching(input, { service, filter }, change);
    const outcome = await connect(input).setStatuses(service, { ids, ...change });
    const { changed, absent = [] } = outcome;
    input.print(outcome, changedText(changed));
    for (const id of absent) input.printMessage(`${id}: this feed has no such report`);
    if (absent.length > 0)
      throw new CommandError(`${absent.length} of ${ids.length} reports do not exist`, EXIT.absent);
  },
};

async function changeMatching(
  input: CommandInput,
  selection: Selection,
  change: StatusChange,
): Promise<void> {
  const client = connect(input);
  if (input.options['dry-run'] === true) {
    const matching = await countMatching(client, selection);
    return input.print(matching, `${describeMatching(matching)}. Nothing was changed.`);
  }
  if (input.options['yes'] !== true && canAsk()) {
    const found = describeMatching(await countMatching(client, selection));
    if (!(await confirm(`${found}. Set them to ${change.status}?`)))
      return input.print({ changed: 0, successful: true }, 'Nothing was changed.');
  }
  const changed = await setMatching(client, selection, change);
  input.print({ changed, successful: true }, changedText(changed));
}

function changedText(changed: number): string {
  return changed === 1 ? '1 report changed' : `${changed} reports changed`;
}

/** The filter, or `undefined` if ids are given. A change by filter needs an explicit option. */
function readTarget(
  options: CommandInput['options'],
  ids: readonly string[],
): ReportFilter | undefined {
  const filter = readFilter(options, WHERE);
  const hasFilter = Object.values(filter).some((value) => value !== undefined);
  const isMany = options['all-matching'] === true;
  const excess = OF_MANY.find((name) => options[name] !== undefined);
  if (excess !== undefined && !isMany)
    throw new CommandError(`--${excess} needs --all-matching`, EXIT.usage);
  if (options['dry-run'] === true && options['yes'] === true)
    throw new CommandError('--dry-run and --yes exclude each other', EXIT.usage);
  if (ids.length > 0 && (hasFilter || isMany))
    throw new CommandError('give either ids or --all-matching, not both', EXIT.usage);
  if (ids.length > 0) return undefined;
  if (!hasFilter)
    throw new CommandError(
      'choose the reports: by id, or with --all-matching and --where-…',
      EXIT.usage,
    );
  if (!isMany)
    throw new CommandError('this may change many reports: add --all-matching', EXIT.usage);
  return filter;
}

/** The values are validated by the server, whose errors list the valid ones. */
function readStatus(options: CommandInput['options']): StatusChange {
  const { status, reason, note } = options as Record<string, string | undefined>;
  if (status === undefined) throw new CommandError('--status is required: see --help', EXIT.usage);
  return { status: status as SetStatusesBody['status'], reason, note };
}
