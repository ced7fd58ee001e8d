import { type Command, CommandError, type CommandInput, EXIT } from '../command.ts';
import { connect } from '../connection.ts';
import { connectionOptions } from '../options/connection-options.ts';
import { outputOption, refuseListOutput } from '../output/format.ts';
import { printList } from '../output/list.ts';
import { showStatistics, statisticColumns } from '../output/statistics-summary.ts';
import { outcomeColumns, showReporter, showScorecard } from '../output/trust-summary.ts';

export const statisticsShow: Command = {
  usage: '[<service>] [--days <n>] [--scorecard] | --reporter <name>',
  arguments: { '<service>': 'The slug of the service; all feeds without it' },
  options: {
    days: {
      type: 'string',
      value: '<n>',
      description: 'The number of days: 30 by default, with --scorecard 90; at most 90',
    },
    scorecard: {
      type: 'boolean',
      description: 'How fast the service answers, its backlog and what came back after a takedown',
    },
    reporter: {
      type: 'string',
      value: '<name>',
      description: 'The outcomes of the reports of this account, and the precision',
    },
    ...connectionOptions,
    ...outputOption,
  },
  examples: [
    {
      command: 'rapsheet statistics show ply --days 7',
      description: 'Show the last week of a feed',
    },
    {
      command: 'rapsheet statistics show ply --scorecard',
      description: 'Show how fast the service ply answers',
    },
    {
      command: 'rapsheet statistics show --reporter alice',
      description: 'Show the outcomes of the reports of alice',
    },
  ],
  positionals: [0, 1],
  async run(input) {
    if (input.options['reporter'] !== undefined) return printReporter(input);
    if (input.options['scorecard'] === true) return printScorecard(input);
    const [service = 'all'] = input.positionals;
    const shown = await connect(input).feedStatistics(service, daysOf(input));
    printList(input, {
      result: shown,
      columns: statisticColumns,
      rows: shown.days,
      text: () => showStatistics(shown),
    });
  },
};

/** The server checks the number. */
function daysOf({ options }: CommandInput): { readonly days: number | undefined } {
  return { days: options['days'] as number | undefined };
}

async function printScorecard(input: CommandInput): Promise<void> {
  const [service] = input.positionals;
  if (service === undefined)
    throw new CommandError('--scorecard needs a service: see --help', EXIT.usage);
  refuseListOutput(input, 'scorecard');
  const shown = await connect(input).serviceStatistics(service, daysOf(input));
  input.print(shown, showScorecard(shown));
}

async function printReporter(input: CommandInput): Promise<void> {
  const { reporter, scorecard, days } = input.options;
  if (input.positionals.length > 0 || scorecard !== undefined || days !== undefined)
    throw new CommandError('--reporter is for all feeds and all days: see --help', EXIT.usage);
  const shown = await connect(input).reporterStatistics(String(reporter));
  printList(input, {
    result: shown,
    columns: outcomeColumns,
    rows: shown.services,
    text: () => showReporter(shown),
  });
}
