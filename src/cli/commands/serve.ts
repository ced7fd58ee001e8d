import { type Config, readConfig } from '../../config.ts';
import {
  isHttpWorker,
  startHttpWorker,
  startHttpWorkers,
  tellWhyNotStarted,
} from '../../server/http-workers.ts';
import { type Running, startService } from '../../server/start.ts';
import { type Command, CommandError } from '../command.ts';
import { greeting } from '../output/greeting.ts';
import { endOfProcess, stopWhen } from '../signals.ts';

export const serve: Command = {
  name: 'serve',
  usage: '',
  summary: 'Start the service',
  async run({ tell }) {
    const config = readConfig();
    const ended = endOfProcess();
    const running = await start(config).catch((cause: unknown) => {
      const explained = explain(cause, config.host, config.port);
      if (isHttpWorker()) return tellWhyNotStarted(explained);
      throw explained;
    });
    if (!isHttpWorker())
      tell(greeting(running, config, { isTerminal: process.stderr.isTTY === true }));
    await stopWhen(ended, running);
  },
};

/** One process, or the first of several, or one of those. */
function start(config: Config): Promise<Running> {
  if (config.httpWorkers === 1) return startService(config);
  return isHttpWorker() ? startHttpWorker(config) : startHttpWorkers(config);
}

function explain(cause: unknown, host: string, port: number): unknown {
  const code = (cause as { code?: string }).code;
  if (code === 'EADDRINUSE') {
    return new CommandError(
      `${host}:${port} is taken by another program: set RAPSHEET_PORT to another port`,
    );
  }
  if (code === 'EACCES')
    return new CommandError(`not allowed to listen on ${host}:${port}: choose a port above 1023`);
  if (code === 'EADDRNOTAVAIL')
    return new CommandError(`RAPSHEET_HOST ${host} is not an address of this machine`);
  return cause;
}
