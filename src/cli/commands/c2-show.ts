import type { RapsheetClient } from '../../client/client.ts';
import type { FoundRoute } from '../../client/wire.ts';
import { type Command, CommandError, type CommandInput, EXIT } from '../command.ts';
import { connect } from '../connection.ts';
import { connectionOptions } from '../options/connection-options.ts';
import { knownReportColumns, showKnown, showNetwork } from '../output/c2-summary.ts';
import { contactRows } from '../output/contacts.ts';
import { outputOption, refuseListOutput } from '../output/format.ts';
import { printList } from '../output/list.ts';
import { relatedColumns, relatedRows, showRelated } from '../output/related.ts';
import { fields, visible } from '../output/show.ts';

export const c2Show: Command = {
  usage: '<address> [--related | --route]',
  arguments: { '<address>': '<host>:<port> or a host; it may be defanged' },
  options: {
    ...connectionOptions,
    ...outputOption,
    related: { type: 'boolean', description: 'Only what belongs to it' },
    route: { type: 'boolean', description: 'Only who answers for it, and its feed' },
  },
  examples: [
    {
      command: 'rapsheet c2 show tunnel.ply.example:4444',
      description: 'Show what is known of a C2',
    },
    { command: "rapsheet c2 show 'tunnel[.]ply[.]example'", description: 'Show all C2s of a host' },
    {
      command: 'rapsheet c2 show tunnel.ply.example:4444 --related',
      description: 'Show the files whose settings name a C2, and the other C2s in them',
    },
    {
      command: 'rapsheet c2 show tunnel.ply.example:4444 --route',
      description: 'Find whom to report a C2 to',
    },
  ],
  positionals: [1, 1],
  async run(input) {
    const [text = ''] = input.positionals;
    const client = connect(input);
    const { route: isRoute, related: isRelated } = input.options;
    if (isRoute === true && isRelated === true)
      throw new CommandError('--related and --route exclude each other', EXIT.usage);
    if (isRoute === true) return printRoute(input, client, text);
    if (isRelated === true) return printRelated(input, client, text);
    // The server parses the address, and says whether it has a port.
    const { c2: address, host, contacts = [] } = await client.route(text);
    const known =
      address === undefined ? await client.showHost(host) : await client.showAddress(address);
    printList(input, {
      result: known,
      columns: knownReportColumns,
      rows: known.reports.newest,
      text: () => showKnown(known, contacts),
    });
  },
};

async function printRelated(
  input: CommandInput,
  client: RapsheetClient,
  text: string,
): Promise<void> {
  const related = await client.showRelated(text);
  printList(input, {
    result: related,
    columns: relatedColumns,
    rows: relatedRows(related),
    text: () => showRelated(related),
  });
}

async function printRoute(
  input: CommandInput,
  client: RapsheetClient,
  text: string,
): Promise<void> {
  refuseListOutput(input, 'route');
  const found = await client.route(text);
  if (found.service === null) input.printMessage(`No service declares ${visible(found.host)}.`);
  // A server of an older version knows no contacts.
  const others = contactRows(found.contacts ?? []);
  const network = showNetwork(found);
  const lines = [
    ...(found.feed === null ? [] : [visible(routeText(found))]),
    ...(network === '' ? [] : [visible(`network: ${network}`)]),
    ...(others.length === 0 ? [] : [fields(others)]),
  ];
  if (input.json || lines.length > 0) input.print(found, lines.join('\n'));
}

function routeText({ service, feed, pattern, verified }: FoundRoute): string {
  if (service === null) return `${feed}`;
  return `${service} (${pattern}, ${verified ? 'verified' : 'declared'})`;
}
