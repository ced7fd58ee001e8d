import { type Command, CommandError, EXIT } from '../command.ts';
import { bashCompletion } from '../completion/bash.ts';
import { fishCompletion } from '../completion/fish.ts';
import { type CompletionModel, completionModel } from '../completion/model.ts';
import { zshCompletion } from '../completion/zsh.ts';
import { catalogue } from '../help/catalogue.ts';

const SHELLS: Readonly<Record<string, (model: CompletionModel) => string>> = {
  bash: bashCompletion,
  zsh: zshCompletion,
  fish: fishCompletion,
};
const NAMES = Object.keys(SHELLS);

export const completion: Command = {
  name: 'completion',
  usage: NAMES.join('|'),
  summary: 'Print a script that completes commands, options and their values in a shell',
  arguments: { [NAMES.join('|')]: 'The shell' },
  examples: [
    {
      command: 'rapsheet completion bash > ~/.local/share/bash-completion/completions/rapsheet',
      description: 'Install it for bash, from the next shell on',
    },
  ],
  positionals: [1, 1],
  async run({ positionals, print }) {
    const [shell = ''] = positionals;
    const script = Object.hasOwn(SHELLS, shell) ? SHELLS[shell] : undefined;
    if (script === undefined)
      throw new CommandError(`the shell is one of ${NAMES.join(', ')}`, EXIT.usage);
    const text = script(completionModel(catalogue));
    print({ shell, script: text }, text);
  },
};
