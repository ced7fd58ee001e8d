import type { AddWebhookBody } from '../../client/wire.ts';
import type { Command } from '../command.ts';
import { connect, connectionOptions, connectionUsage } from '../connection.ts';
import { visible } from '../output/show.ts';
import { webhookTable } from '../output/webhook-table.ts';

export const webhookAdd: Command = {
  name: 'webhook add',
  usage: `<service> <url> [--event <event>]… [--format standard|report|cloudevents] ${connectionUsage}`,
  summary: 'Have the changes of a feed you own sent to an address; shows the secret this once',
  options: {
    ...connectionOptions,
    event: { type: 'string', multiple: true },
    format: { type: 'string' },
  },
  words: [2, 2],
  async run(input) {
    const [service = '', url = ''] = input.words;
    // Which events and formats there are is left to the server to judge, whose sentences name them.
    const events = input.options['event'] as AddWebhookBody['events'];
    const format = input.options['format'] as AddWebhookBody['format'];
    const added = await connect(input).addWebhook(service, { url, events, format });
    // Alone on standard output, so that a script can take it as it is.
    if (!input.json) input.tell(`${webhookTable([added.webhook])}\n\nThe secret, shown this once:`);
    input.print(added, visible(added.secret));
  },
};
