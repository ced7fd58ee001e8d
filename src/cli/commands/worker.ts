import { readConfig } from '../../config.ts';
import { startWorker } from '../../server/start.ts';
import { type Command, CommandError } from '../command.ts';
import { endOfProcess, stopWhen } from '../signals.ts';

export const worker: Command = {
  name: 'worker',
  usage: '',
  summary: 'Analyse samples that servers on the same store take in',
  async run({ tell }) {
    const config = readConfig();
    if (config.analysisWorkers === 0)
      throw new CommandError(
        'RAPSHEET_ANALYSIS_WORKERS is 0: a worker that analyses nothing is none',
      );
    const ended = endOfProcess();
    const running = await startWorker(config);
    tell(`Analysing samples, ${config.analysisWorkers} at once`);
    await stopWhen(ended, running);
  },
};
