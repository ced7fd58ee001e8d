import type { CommandInput, CommandOptions } from '../command.ts';
import { connectionOptions } from '../options/connection-options.ts';
import { wholeNumber } from '../options/filter-options.ts';
import { ndjsonOption, outputOption } from '../output/format.ts';
import { type Columns, Pages } from '../output/list.ts';
import { visible } from '../output/show.ts';

/** Instead of the id of a webhook. */
export const MAIL = 'mail';

export const deliveryArguments = {
  '<service>': 'The slug of the service',
  '<webhook>|mail': 'The id of the webhook, or mail',
} as const;

export const deliveryUsage =
  '[--state waiting|delivered|dead] [--limit <n>] [--before <delivery>] [--ndjson]';

export const deliveryOptions = {
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
  ...ndjsonOption,
} as const satisfies CommandOptions;

interface DeliveryRequest {
  readonly state?: string;
  readonly limit?: number;
  readonly before?: string;
}

interface DeliveryPage<Delivery> {
  readonly deliveries: readonly Delivery[];
  readonly hasMore: boolean;
}

/** Prints a page of the deliveries of a webhook or of mail, and how to continue. */
export async function listDeliveries<Delivery extends { readonly id: string }>(
  input: CommandInput,
  columns: Columns<Delivery>,
  read: (request: DeliveryRequest) => Promise<DeliveryPage<Delivery>>,
): Promise<void> {
  const { state, before } = input.options as Record<string, string | undefined>;
  const limit = wholeNumber(input.options, 'limit');
  const page = await read({
    ...(state !== undefined && { state }),
    ...(limit !== undefined && { limit }),
    ...(before !== undefined && { before }),
  });
  const pages = new Pages(input, columns);
  pages.show(page, page.deliveries);
  pages.end();
  const last = page.deliveries.at(-1);
  if (page.hasMore && last !== undefined)
    input.printMessage(`There are more: continue with --before ${visible(last.id)}.`);
}
