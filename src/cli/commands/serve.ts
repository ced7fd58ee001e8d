import { readConfig } from '../../config.ts';
import { startService } from '../../main.ts';
import { type Command, CommandError } from '../command.ts';
import { greeting } from '../greeting.ts';

/** After this long the process ends, whatever keeps it. */
const END_AFTER_MS = 10_000;

export const serve: Command = {
  name: 'serve',
  usage: '',
  summary: 'Start the service',
  async run({ tell }) {
    const config = readConfig();
    // Before anybody can see that it runs: whoever ends it from then on, ends it in order.
    const { promise: ended, resolve } = Promise.withResolvers<NodeJS.Signals>();
    process.once('SIGTERM', resolve);
    process.once('SIGINT', resolve);
    const running = await startService(config).catch((cause: unknown) => {
      throw explain(cause, config.host, config.port);
    });
    tell(greeting(running, config));
    const signal = await ended;
    running.log.info({ signal }, 'stopping: finishing what is in flight');
    setTimeout(() => process.exit(0), END_AFTER_MS).unref();
    await running.stop();
    running.log.info('stopped');
  },
};

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
