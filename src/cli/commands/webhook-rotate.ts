import type { Command } from '../command.ts';
import { connect, connectionOptions, connectionUsage } from '../connection.ts';
import { visible } from '../output/show.ts';

export const webhookRotate: Command = {
  name: 'webhook rotate',
  usage: `<service> <id> ${connectionUsage}`,
  summary: 'Give a webhook a new secret, shown this once; the old one signs as well for a day',
  options: connectionOptions,
  words: [2, 2],
  async run(input) {
    const [service = '', id = ''] = input.words;
    const rotated = await connect(input).rotateWebhook(service, id);
    if (!input.json)
      input.tell(
        `The old secret signs as well until ${visible(rotated.oldValidUntil)}.\n\nThe new secret, shown this once:`,
      );
    input.print(rotated, visible(rotated.secret));
  },
};
