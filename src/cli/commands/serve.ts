import { type Config, readConfig } from '../../config.ts';
import {
  isHttpWorker,
  reportStartFailure,
  startHttpWorker,
  startHttpWorkers,
} from '../../server/http-workers.ts';
import { type Running, startService } from '../../server/start-service.ts';
import { type Command, CommandError } from '../command.ts';
import { type FirstSecrets, greeting } from '../output/greeting.ts';
import { shutdownSignal, stopOnSignal } from '../signals.ts';

export const serve: Command = {
  name: 'serve',
  usage: '',
  summary: 'Start the service',
  examples: [
    { command: 'rapsheet serve', description: 'Start the service with its data in ./data' },
  ],
  async run({ printMessage }) {
    const config = readConfig();
    const signal = shutdownSignal();
    const running = await start(config).catch((cause: unknown) => {
      const failure = toStartFailure(cause, config.host, config.port);
      if (isHttpWorker()) return reportStartFailure(failure);
      throw failure;
    });
    if (!isHttpWorker()) printMessage(greeting(running.url, config, await secretsOf(running)));
    await stopOnSignal(signal, running);
  },
};

/** Secrets are shown only on a terminal: any other reader of standard error is a log. */
async function secretsOf({ firstAdmin }: Running): Promise<FirstSecrets> {
  if (firstAdmin === undefined || process.stderr.isTTY !== true) return {};
  return { newAdminToken: firstAdmin.newToken, link: await firstAdmin.createLink() };
}

/** Starts a single process, the primary of several HTTP workers, or one of them. */
function start(config: Config): Promise<Running> {
  if (config.httpWorkers === 1) return startService(config);
  return isHttpWorker() ? startHttpWorker(config) : startHttpWorkers(config);
}

function toStartFailure(cause: unknown, host: string, port: number): unknown {
  const code = (cause as { code?: string }).code;
  if (code === 'EADDRINUSE') {
    return new CommandError(
      `${host}:${port} is in use by another program: set RAPSHEET_PORT to another port`,
    );
  }
  if (code === 'EACCES')
    return new CommandError(`not allowed to listen on ${host}:${port}: choose a port above 1023`);
  if (code === 'EADDRNOTAVAIL')
    return new CommandError(`RAPSHEET_HOST ${host} is not an address of this machine`);
  return cause;
}
