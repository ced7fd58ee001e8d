import type { Command } from '../command.ts';
import { connect, connectionOptions } from '../connection.ts';
import { outputOption } from '../output/format.ts';
import { printList, tableOf, terminalWidth } from '../output/list.ts';
import { howToProve, ownershipColumns } from '../output/ownership-table.ts';

export const ownershipShow: Command = {
  name: 'ownership show',
  usage: '<service>',
  summary: 'Show which declared hosts of a service are proven, and what to publish for the others',
  arguments: { '<service>': 'The slug of the service' },
  options: { ...connectionOptions, ...outputOption },
  examples: [
    { command: 'rapsheet ownership show ply', description: 'Show which hosts of ply are proven' },
  ],
  positionals: [1, 1],
  async run(input) {
    const [service = ''] = input.positionals;
    const shown = await connect(input).showOwnership(service);
    const rows = shown.patterns;
    printList(input, {
      result: shown,
      columns: ownershipColumns,
      rows,
      text: () => `${tableOf(ownershipColumns, rows, terminalWidth())}${howToProve(shown)}`,
    });
  },
};
