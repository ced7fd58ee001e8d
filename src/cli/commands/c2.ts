import type { Command } from '../command.ts';
import { connect, connectionOptions } from '../connection.ts';
import { knownReportColumns, showKnown } from '../output/c2-summary.ts';
import { outputOption } from '../output/format.ts';
import { printList } from '../output/list.ts';

export const c2: Command = {
  name: 'c2',
  usage: '<address>',
  summary: 'Show what is known of a C2 (<host>:<port>), or of all C2s of a host',
  arguments: { '<address>': '<host>:<port> or a host; it may be defanged' },
  options: { ...connectionOptions, ...outputOption },
  examples: [
    { command: 'rapsheet c2 tunnel.ply.example:4444', description: 'Show what is known of a C2' },
    { command: "rapsheet c2 'tunnel[.]ply[.]example'", description: 'Show all C2s of a host' },
  ],
  positionals: [1, 1],
  async run(input) {
    const [text = ''] = input.positionals;
    const client = connect(input);
    // The server parses the address, and says whether it has a port.
    const { c2: address, host } = await client.route(text);
    const known =
      address === undefined ? await client.showHost(host) : await client.showAddress(address);
    printList(input, {
      result: known,
      columns: knownReportColumns,
      rows: known.reports.newest,
      text: () => showKnown(known),
    });
  },
};
