import { type Command, CommandError, EXIT } from '../command.ts';

export const completion: Command = {
  name: 'completion',
  usage: 'bash|zsh|fish',
  summary: 'Print a script that completes commands, options and their values in a shell',
  arguments: { 'bash|zsh|fish': 'The shell' },
  examples: [
    {
      command: 'rapsheet completion bash > ~/.local/share/bash-completion/completions/rapsheet',
      description: 'Install it for bash, from the next shell on',
    },
  ],
  positionals: [1, 1],
  async run() {
    throw new CommandError('the shell is one of bash, zsh, fish', EXIT.usage);
  },
};
