import type { AddWebhookBody } from '../../../client/wire.ts';
import { WEBHOOK_EVENTS } from '../../../domain/webhooks/webhook.ts';
import type { Command } from '../../command.ts';
import { connect } from '../../connection.ts';
import { connectionOptions } from '../../options/connection-options.ts';
import { visible } from '../../output/show.ts';
import { webhookTable } from '../../output/webhook-table.ts';

export const webhookAdd: Command = {
  usage: '<service> <url> [--event <event>]… [--format standard|report|cloudevents]',
  arguments: { '<service>': 'The slug of the service', '<url>': 'Where changes are sent to' },
  options: {
    ...connectionOptions,
    event: {
      type: 'string',
      multiple: true,
      value: WEBHOOK_EVENTS.join('|'),
      description: 'An event to send; all by default',
    },
    format: {
      type: 'string',
      value: 'standard|report|cloudevents',
      description: 'The form of the body; standard by default',
    },
  },
  examples: [
    {
      command:
        'rapsheet webhook add ply https://desk.ply.example/hooks/rapsheet --event report.created',
      description: 'Send new reports to a URL',
    },
  ],
  positionals: [2, 2],
  async run(input) {
    const [service = '', url = ''] = input.positionals;
    // The values are validated by the server, whose errors list the valid ones.
    const events = input.options['event'] as AddWebhookBody['events'];
    const format = input.options['format'] as AddWebhookBody['format'];
    const added = await connect(input).addWebhook(service, { url, events, format });
    // Only the secret goes to standard output, so that a script can use it.
    if (!input.json)
      input.printMessage(`${webhookTable([added.webhook])}\n\nThe secret, shown only once:`);
    input.print(added, visible(added.secret));
  },
};
