import type { Command } from '../../command.ts';
import { connect } from '../../connection.ts';
import { deliveryArguments, MAIL } from '../../feeds/delivery-list.ts';
import { connectionOptions } from '../../options/connection-options.ts';
import { visible } from '../../output/show.ts';

export const deliveryTest: Command = {
  usage: '<service> <webhook>|mail',
  arguments: deliveryArguments,
  options: connectionOptions,
  examples: [
    {
      command: 'rapsheet delivery test ply 0192f6c1-7d4e-7c3a-9b1d-3f2a5c6e7d85',
      description: 'Send a test event',
    },
    { command: 'rapsheet delivery test ply mail', description: 'Send a test mail' },
  ],
  positionals: [2, 2],
  async run(input) {
    const [service = '', webhook = ''] = input.positionals;
    const client = connect(input);
    const queued = await (webhook === MAIL
      ? client.testMail(service)
      : client.testWebhook(service, webhook));
    input.print(queued, visible(queued.delivery));
  },
};
