import { type Config, readConfig } from '../../config.ts';
import {
  isHttpWorker,
  reportStartFailure,
  startHttpWorker,
  startHttpWorkers,
} from '../../server/http-workers.ts';
import { rememberServerUrl } from '../../server/server-url.ts';
import { type Running, startServer } from '../../server/start-server.ts';
import { type Command, CommandError } from '../command.ts';
import { announce, isReadByPerson } from '../output/announce.ts';
import { greeting } from '../output/greeting.ts';
import { shutdownSignal, stopOnSignal } from '../signals.ts';

export const serve: Command = {
  usage: '',
  examples: [
    { command: 'rapsheet serve', description: 'Start the server with the default settings' },
  ],
  async run({ printMessage }) {
    const config = readConfig();
    const signal = shutdownSignal();
    const running = await start(config).catch((cause: unknown) => {
      const failure = toStartFailure(cause, config.host, config.port);
      if (isHttpWorker()) return reportStartFailure(failure);
      throw failure;
    });
    if (!isHttpWorker()) {
      rememberServerUrl(config, config.baseUrl ?? running.url, running.log);
      if (isReadByPerson()) printMessage(await greetingOf(running, config));
      else announceStart(running, config);
    }
    await stopOnSignal(signal, running);
  },
};

/** With the secrets of a first start: a person reads it, and it enters no log. */
async function greetingOf({ url, firstAdmin }: Running, config: Config): Promise<string> {
  if (firstAdmin === undefined) return greeting(url, config);
  const link = await firstAdmin.createLink();
  return greeting(url, config, { newAdminToken: firstAdmin.newToken, link });
}

/** One line of the log, and another one at the first start. Neither contains a secret. */
function announceStart({ url, firstAdmin }: Running, config: Config): void {
  const { dataDir } = config;
  announce({ url, dataDir }, `Rapsheet listens on ${url} with its data in ${dataDir}`);
  if (firstAdmin === undefined) return;
  const file = firstAdmin.newToken?.file;
  const location = file === undefined ? 'the one in RAPSHEET_ADMIN_TOKEN' : `in ${file}`;
  announce(
    { account: 'admin', ...(file !== undefined && { file }) },
    `the first start created the account admin: its token is ${location}; rapsheet account link admin creates a sign-in link`,
  );
}

/** Starts a single process, the primary of several HTTP workers, or one of them. */
function start(config: Config): Promise<Running> {
  if (config.httpWorkers === 1) return startServer(config);
  return isHttpWorker() ? startHttpWorker(config) : startHttpWorkers(config);
}

function toStartFailure(cause: unknown, host: string, port: number): unknown {
  const { code, syscall, hostname } = cause as NodeJS.ErrnoException & { hostname?: string };
  if (code === 'EADDRINUSE') {
    return new CommandError(
      `${host}:${port} is in use by another program: set RAPSHEET_PORT to another port`,
    );
  }
  if (code === 'EACCES')
    return new CommandError(`not allowed to listen on ${host}:${port}: choose a port above 1023`);
  if (code === 'EADDRNOTAVAIL' || (syscall === 'getaddrinfo' && hostname === host))
    return new CommandError(`RAPSHEET_HOST ${host} is not an address of this machine`);
  return cause;
}
