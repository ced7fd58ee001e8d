import { startFirstWorker } from '../../server/start-first-worker.ts';
import { type Command, CommandError, EXIT } from '../command.ts';
import { listFiles } from '../input/files.ts';

export const analyse: Command = {
  usage: '<path>… [--ndjson] [--details]',
  arguments: { '<path>…': 'Files, or folders with all files in them' },
  options: {
    ndjson: {
      type: 'boolean',
      description:
        'Print only the analyses, one per line, as `sample import` reads them; with --details the path, report and details of each',
    },
    details: {
      type: 'boolean',
      description: 'Add the evidence of every tag and what the parsers found',
    },
  },
  examples: [
    { command: 'rapsheet analyse ./suspicious.exe', description: 'Analyse a file' },
    {
      command: 'rapsheet analyse ./folder --ndjson > analyses.ndjson',
      description: 'Analyse a folder for a later import',
    },
  ],
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
