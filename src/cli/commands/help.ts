import { type Command, CommandError, EXIT } from '../command.ts';
import { described, unknownCommand } from '../help/find.ts';
import { renderHelp } from '../help/render.ts';

export const help: Command = {
  name: 'help',
  usage: '[<command>]',
  summary: 'Show how a command is used, or list all commands',
  arguments: { '<command>': 'A command or a group of commands: `lookup`, `feed list`, `feed`' },
  examples: [
    { command: 'rapsheet help lookup', description: 'Show how files are looked up' },
    { command: 'rapsheet help feed', description: 'List the commands for feeds' },
  ],
  positionals: [0, Number.POSITIVE_INFINITY],
  async run({ positionals, print }) {
    const text = renderHelp(positionals, process.stdout);
    if (text === undefined) throw new CommandError(unknownCommand(positionals), EXIT.usage);
    const name = positionals.join(' ');
    print(
      described.filter((command) => `${command.name} `.startsWith(name === '' ? '' : `${name} `)),
      text,
    );
  },
};
