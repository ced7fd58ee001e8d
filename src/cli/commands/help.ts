import { type Command, type CommandEntry, CommandError, EXIT } from '../command.ts';
import { type DescribedCommand, describeCommand } from '../help/described-command.ts';
import { allCommands, commandsOfGroup, findCommand, unknownCommand } from '../help/find.ts';
import { renderAll, renderHelp } from '../help/render.ts';
import { describeOldName } from './old-names.ts';

export const help: Command = {
  usage: '[<command>|--all]',
  arguments: { '<command>': 'A command or a group of commands: `lookup`, `report list`, `report`' },
  options: { all: { type: 'boolean', description: 'List all commands' } },
  examples: [
    { command: 'rapsheet help --all', description: 'List all commands' },
    { command: 'rapsheet help lookup', description: 'Show how files are looked up' },
    { command: 'rapsheet help feed', description: 'List the commands for feeds' },
  ],
  positionals: [0, Number.POSITIVE_INFINITY],
  async run({ groups, positionals, options, json, print, printMessage }) {
    const isAll = options['all'] === true;
    if (isAll && positionals.length > 0)
      throw new CommandError('give either a command or --all, not both', EXIT.usage);
    const text = isAll
      ? renderAll(groups, process.stdout)
      : await renderHelp(groups, positionals, process.stdout);
    if (text === undefined) throw new CommandError(unknownCommand(groups, positionals), EXIT.usage);
    const group = commandsOfGroup(groups, positionals.join(' '));
    const found = group.length > 0 ? undefined : findCommand(groups, positionals);
    if (found?.old !== undefined) printMessage(describeOldName(found.old));
    const shown = found === undefined ? group : [found.entry];
    print(
      json ? await describeAll(positionals.length === 0 ? allCommands(groups) : shown) : [],
      text,
    );
  },
};

async function describeAll(entries: readonly CommandEntry[]): Promise<readonly DescribedCommand[]> {
  return (await Promise.all(entries.map(({ load }) => load()))).map(describeCommand);
}
