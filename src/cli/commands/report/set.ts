import type { SetStatusesBody } from '../../../client/wire.ts';
import { DESK_REASONS, DESK_STATUSES } from '../../../domain/reports/desk.ts';
import { type Command, CommandError, type CommandInput, EXIT } from '../../command.ts';
import { connect } from '../../connection.ts';
import { connectionOptions } from '../../options/connection-options.ts';
import { filterOptions, filterUsage, readFilter } from '../../options/filter-options.ts';

const WHERE = 'where-';

export const reportSet: Command = {
  usage: `<service> <id>…|--all-matching ${filterUsage(WHERE)} --status <status> [--reason <reason>] [--note <text>]`,
  arguments: {
    '<service>': 'The slug of the service',
    '<id>…': 'The ids of the reports, unless --all-matching is given',
  },
  options: {
    ...connectionOptions,
    ...filterOptions(WHERE),
    'all-matching': {
      type: 'boolean',
      description: 'Change all reports that match the --where filters',
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
  ],
  positionals: [1, Number.POSITIVE_INFINITY],
  async run(input) {
    const [service = '', ...ids] = input.positionals;
    const body = { ...readTarget(input.options, ids), ...readStatus(input.options) };
    const outcome = await connect(input).setStatuses(service, body);
    const { changed, absent = [] } = outcome;
    input.print(outcome, changed === 1 ? '1 report changed' : `${changed} reports changed`);
    for (const id of absent) input.printMessage(`${id}: this feed has no such report`);
    if (absent.length > 0)
      throw new CommandError(`${absent.length} of ${ids.length} reports do not exist`, EXIT.absent);
  },
};

/** The command never prompts, so a change by filter needs an explicit option. */
function readTarget(
  options: CommandInput['options'],
  ids: readonly string[],
): Pick<SetStatusesBody, 'ids' | 'filter'> {
  const filter = readFilter(options, WHERE);
  const hasFilter = Object.values(filter).some((value) => value !== undefined);
  const isMany = options['all-matching'] === true;
  if (ids.length > 0 && (hasFilter || isMany))
    throw new CommandError('give either ids or --all-matching, not both', EXIT.usage);
  if (ids.length > 0) return { ids };
  if (!hasFilter)
    throw new CommandError(
      'choose the reports: by id, or with --all-matching and --where-…',
      EXIT.usage,
    );
  if (!isMany)
    throw new CommandError('this may change many reports: add --all-matching', EXIT.usage);
  return { filter: filter as SetStatusesBody['filter'] };
}

/** The values are validated by the server, whose errors list the valid ones. */
function readStatus(
  options: CommandInput['options'],
): Pick<SetStatusesBody, 'status' | 'reason' | 'note'> {
  const { status, reason, note } = options as Record<string, string | undefined>;
  if (status === undefined) throw new CommandError('--status is required: see --help', EXIT.usage);
  return { status: status as SetStatusesBody['status'], reason, note };
}
