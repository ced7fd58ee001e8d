import type { Command } from '../command.ts';
import { connect, connectionOptions } from '../connection.ts';
import { wholeNumber } from '../options/filter-options.ts';
import { outputOption } from '../output/format.ts';
import { Pages } from '../output/list.ts';
import { visible } from '../output/show.ts';
import { deliveryColumns } from '../output/webhook-table.ts';

export const webhookDeliveries: Command = {
  name: 'webhook deliveries',
  usage:
    '<service> <id> [--state waiting|delivered|dead] [--limit <n>] [--before <delivery>] [--ndjson]',
  summary: 'List the deliveries of a webhook, newest first',
  arguments: { '<service>': 'The slug of the service', '<id>': 'The id of the webhook' },
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
      command: 'rapsheet webhook deliveries ply 0192f6c1-7d4e-7c3a-9b1d-3f2a5c6e7d85 --state dead',
      description: 'List the deliveries that failed for good',
    },
  ],
  positionals: [2, 2],
  async run(input) {
    const [service = '', id = ''] = input.positionals;
    const { state, before } = input.options as Record<string, string | undefined>;
    const limit = wholeNumber(input.options, 'limit');
    const page = await connect(input).listDeliveries(service, id, {
      ...(state !== undefined && { state }),
      ...(limit !== undefined && { limit }),
      ...(before !== undefined && { before }),
    });
    const pages = new Pages(input, deliveryColumns);
    pages.show(page, page.deliveries);
    pages.end();
    const last = page.deliveries.at(-1);
    if (page.hasMore && last !== undefined)
      input.printMessage(`There are more: continue with --before ${visible(last.id)}.`);
  },
};
