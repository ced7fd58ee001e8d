import type { Command } from '../command.ts';
import { connect, connectionOptions } from '../connection.ts';
import { wholeNumber } from '../options/filter-options.ts';
import { outputOption } from '../output/format.ts';
import { Pages } from '../output/list.ts';
import { visible } from '../output/show.ts';
import { mailDeliveryColumns } from '../output/webhook-table.ts';

export const mailDeliveries: Command = {
  name: 'mail deliveries',
  usage:
    '<service> [--state waiting|delivered|dead] [--limit <n>] [--before <delivery>] [--ndjson]',
  summary: 'List the deliveries of reports by mail, newest first',
  arguments: { '<service>': 'The slug of the service' },
  options: {
    ...connectionOptions,
    ...outputOption,
    state: {
      type: 'string',
      value: 'waiting|delivered|dead',
      description: 'Only the deliveries in this state',
    },
    limit: {
      type: 'string',
      value: '<n>',
      description: 'The largest number of deliveries: 100 by default, at most 1000',
    },
    before: {
      type: 'string',
      value: '<delivery>',
      description: 'Only the deliveries before this one',
    },
    ndjson: { type: 'boolean', description: 'Print one JSON value per line' },
  },
  examples: [
    {
      command: 'rapsheet mail deliveries ply --state dead',
      description: 'List the mails that failed for good',
    },
  ],
  positionals: [1, 1],
  async run(input) {
    const [service = ''] = input.positionals;
    const { state, before } = input.options as Record<string, string | undefined>;
    const limit = wholeNumber(input.options, 'limit');
    const page = await connect(input).listMailDeliveries(service, {
      ...(state !== undefined && { state }),
      ...(limit !== undefined && { limit }),
      ...(before !== undefined && { before }),
    });
    const pages = new Pages(input, mailDeliveryColumns);
    pages.show(page, page.deliveries);
    pages.end();
    const last = page.deliveries.at(-1);
    if (page.hasMore && last !== undefined)
      input.printMessage(`There are more: continue with --before ${visible(last.id)}.`);
  },
};
