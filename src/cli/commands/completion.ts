import { type Command, CommandError, EXIT } from '../command.ts';
import { bashCompletion } from '../completion/bash.ts';
import { fishCompletion } from '../completion/fish.ts';
import { type CompletionModel, completionModel } from '../completion/model.ts';
import { zshCompletion } from '../completion/zsh.ts';
import { describeCommand } from '../help/described-command.ts';
import { allCommands } from '../help/find.ts';

const SHELLS: Readonly<Record<string, (model: CompletionModel) => string>> = {
  bash: bashCompletion,
  zsh: zshCompletion,
  fish: fishCompletion,
};
const NAMES = Object.keys(SHELLS);

export const completion: Command = {
  usage: NAMES.join('|'),
  arguments: { [NAMES.join('|')]: 'The shell' },
  examples: [
    {
      command: 'rapsheet completion bash > ~/.local/share/bash-completion/completions/rapsheet',
      description: 'Install it for bash, from the next shell on',
    },
  ],
  positionals: [1, 1],
  async run({ groups, positionals, print }) {
    const [shell = ''] = positionals;
    const script = Object.hasOwn(SHELLS, shell) ? SHELLS[shell] : undefined;
    if (script === undefined)
      throw new CommandError(`the shell is one of ${NAMES.join(', ')}`, EXIT.usage);
    const loaded = await Promise.all(allCommands(groups).map(({ load }) => load()));
    const text = script(completionModel(loaded.map(describeCommand)));
    print({ shell, script: text }, text);
  },
};
