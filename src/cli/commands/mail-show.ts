import type { Command } from '../command.ts';
import { connect, connectionOptions } from '../connection.ts';
import { table } from '../output/table.ts';

export const mailShow: Command = {
  name: 'mail show',
  usage: '<service>',
  summary: 'Show where new reports are mailed to',
  arguments: { '<service>': 'The slug of the service' },
  options: connectionOptions,
  examples: [
    { command: 'rapsheet mail show ply', description: 'Show where reports of ply are mailed to' },
  ],
  positionals: [1, 1],
  async run(input) {
    const [service = ''] = input.positionals;
    const answer = await connect(input).showMail(service);
    if (answer.mail === null)
      return input.print(
        answer,
        `${service} gets no mail. An administrator can set an address: rapsheet service set ${service} --mail-to <address>`,
      );
    const { to, format, delivery, failingSince } = answer.mail;
    const state = failingSince === null ? 'works' : `failing since ${failingSince}`;
    input.print(
      answer,
      table(['TO', 'FORMAT', 'DELIVERY', 'STATE'], [[to, format, delivery, state]]),
    );
  },
};
