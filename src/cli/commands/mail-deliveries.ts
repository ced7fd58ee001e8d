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
  options: {
    ...connectionOptions,
    ...outputOption,
    state: { type: 'string' },
    limit: { type: 'string' },
    before: { type: 'string' },
    ndjson: { type: 'boolean' },
  },
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
