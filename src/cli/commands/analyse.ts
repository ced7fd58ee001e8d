import { startFirstWorker } from '../../server/start-first-worker.ts';
import { type Command, CommandError, EXIT } from '../command.ts';
import { listFiles } from '../input/files.ts';

export const analyse: Command = {
  name: 'analyse',
  usage: '<path>… [--ndjson] [--details]',
  summary: 'Analyse files or folders on this machine, in isolation and without a server',
  options: { ndjson: { type: 'boolean' }, details: { type: 'boolean' } },
  positionals: [1, Number.POSITIVE_INFINITY],
  async run(input) {
    const files = listFiles(input.positionals);
    if (files.length === 0) throw new CommandError('the paths contain no files', EXIT.absent);
    const first = startFirstWorker();
    try {
      // The rest of the command is loaded while the process of the worker starts.
      const { analyseFiles } = await import('../analyse-files.ts');
      await analyseFiles(input, files, first);
    } finally {
      first?.end();
    }
  },
};
