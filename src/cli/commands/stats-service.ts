import type { Command } from '../command.ts';
import { connect, connectionOptions } from '../connection.ts';
import { showScorecard } from '../output/trust-summary.ts';

export const statsService: Command = {
  name: 'stats service',
  usage: '<service> [--days <n>]',
  summary: 'Show how fast a service answers, its backlog and what came back after a takedown',
  arguments: { '<service>': 'The slug of the service' },
  options: {
    days: {
      type: 'string',
      value: '<n>',
      description: 'The number of days: 90 by default and at most',
    },
    ...connectionOptions,
  },
  examples: [
    { command: 'rapsheet stats service ply', description: 'Show how fast the service ply answers' },
  ],
  positionals: [1, 1],
  async run(input) {
    const [service = ''] = input.positionals;
    // The server checks the number.
    const days = input.options['days'] as number | undefined;
    const shown = await connect(input).serviceStatistics(service, { days });
    input.print(shown, showScorecard(shown));
  },
};
