import type { Command } from '../../command.ts';
import { connect } from '../../connection.ts';
import { connectionOptions } from '../../options/connection-options.ts';
import { visible } from '../../output/show.ts';

export const webhookRotate: Command = {
  usage: '<service> <id>',
  arguments: { '<service>': 'The slug of the service', '<id>': 'The id of the webhook' },
  options: connectionOptions,
  examples: [
    {
      command: 'rapsheet webhook rotate ply 0192f6c1-7d4e-7c3a-9b1d-3f2a5c6e7d85',
      description: 'Give a webhook a new secret',
    },
  ],
  positionals: [2, 2],
  async run(input) {
    const [service = '', id = ''] = input.positionals;
    const rotated = await connect(input).rotateWebhook(service, id);
    if (!input.json)
      input.printMessage(
        `The old secret also signs until ${visible(rotated.oldValidUntil)}.\n\nThe new secret, shown only once:`,
      );
    input.print(rotated, visible(rotated.secret));
  },
};
