import { sha256Params } from '../../http/requests/parameters.ts';
import { analyseAgain } from '../../operations/samples/analyse-again.ts';
import type { Command } from '../command.ts';
import { auditContextOf, onStore, parseInput } from '../store-command.ts';

export const sampleAnalyse: Command = {
  name: 'sample analyse',
  usage: '<sha256>',
  summary: 'Queue a file whose analysis failed once more',
  arguments: { '<sha256>': 'The SHA-256 of the file' },
  examples: [
    {
      command:
        'rapsheet sample analyse 96c087811fb08586879959b8e7731ba44e69fbd527edefcb3b1d0843761f3596',
      description: 'Analyse a file again',
    },
  ],
  positionals: [1, 1],
  async run(input) {
    const { sha256 } = parseInput(
      sha256Params,
      { sha256: input.positionals[0] },
      { sha256: '<sha256>' },
    );
    await onStore(input, (deps) => analyseAgain(deps, auditContextOf(deps), sha256));
    const message = `${sha256} is queued for analysis.`;
    input.print({ message, successful: true }, message);
  },
};
