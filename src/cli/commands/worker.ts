import { readConfig } from '../../config.ts';
import { startWorker } from '../../server/start-worker.ts';
import { type Command, CommandError } from '../command.ts';
import { announce, isReadByPerson } from '../output/announce.ts';
import { shutdownSignal, stopOnSignal } from '../signals.ts';

export const worker: Command = {
  usage: '',
  examples: [
    { command: 'rapsheet worker', description: 'Analyse what the servers on this store receive' },
  ],
  async run({ printMessage }) {
    const config = readConfig();
    if (config.analysisWorkers === 0)
      throw new CommandError('RAPSHEET_ANALYSIS_WORKERS is 0: a worker needs at least one');
    const signal = shutdownSignal();
    const running = await startWorker(config);
    const atOnce = config.analysisWorkers;
    const message = `Analysing samples, ${atOnce} at once`;
    if (isReadByPerson()) printMessage(message);
    else announce({ atOnce }, message);
    await stopOnSignal(signal, running);
  },
};
