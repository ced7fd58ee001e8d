import type { SetStatusesBody } from '../../client/wire.ts';
import { type Command, CommandError, type CommandInput, EXIT } from '../command.ts';
import { connect, connectionOptions, connectionUsage } from '../connection.ts';
import { filterOptions, filterUsage, readChoice } from '../options/filter-options.ts';

const WHERE = 'where-';

export const deskSet: Command = {
  name: 'desk set',
  usage: `<service> <id>…|--all-matching ${filterUsage(WHERE)} --status <status> [--reason <reason>] [--note <text>] ${connectionUsage}`,
  summary: 'Set the status of reports in a feed you own, by their ids or by what they match',
  options: {
    ...connectionOptions,
    ...filterOptions(WHERE),
    'all-matching': { type: 'boolean' },
    status: { type: 'string' },
    reason: { type: 'string' },
    note: { type: 'string' },
  },
  words: [1, Number.POSITIVE_INFINITY],
  async run(input) {
    const [service = '', ...ids] = input.words;
    const body = { ...readTarget(input.options, ids), ...readAnswer(input.options) };
    const outcome = await connect(input).setStatuses(service, body);
    const { changed, absent = [] } = outcome;
    input.print(outcome, changed === 1 ? '1 report changed' : `${changed} reports changed`);
    for (const id of absent) input.tell(`${id}: there is no such report in this feed`);
    if (absent.length > 0)
      throw new CommandError(`${absent.length} of ${ids.length} are not there`, EXIT.absent);
  },
};

/** Nothing asks back, so whoever means many says so. */
function readTarget(
  options: CommandInput['options'],
  ids: readonly string[],
): Pick<SetStatusesBody, 'ids' | 'filter'> {
  const choice = readChoice(options, WHERE);
  const isChoice = Object.values(choice).some((value) => value !== undefined);
  const isMany = options['all-matching'] === true;
  if (ids.length > 0 && (isChoice || isMany))
    throw new CommandError('give either ids or --all-matching, and not both', EXIT.usage);
  if (ids.length > 0) return { ids };
  if (!isChoice)
    throw new CommandError(
      'say which reports: their ids, or --all-matching and --where-…',
      EXIT.usage,
    );
  if (!isMany)
    throw new CommandError('this may change many reports: add --all-matching', EXIT.usage);
  return { filter: choice as SetStatusesBody['filter'] };
}

/** Which words there are is left to the server to judge, whose sentences name them. */
function readAnswer(
  options: CommandInput['options'],
): Pick<SetStatusesBody, 'status' | 'reason' | 'note'> {
  const { status, reason, note } = options as Record<string, string | undefined>;
  if (status === undefined) throw new CommandError('--status is needed: see --help', EXIT.usage);
  return { status: status as SetStatusesBody['status'], reason, note };
}
