import type { RunningWorker } from '../main.ts';

/** After this long the process ends, whatever keeps it. */
const END_AFTER_MS = 10_000;

/** To be asked for before anybody can see that it runs: whoever ends it from then on, ends it in order. */
export function endOfProcess(): Promise<NodeJS.Signals> {
  const { promise, resolve } = Promise.withResolvers<NodeJS.Signals>();
  process.once('SIGTERM', resolve);
  process.once('SIGINT', resolve);
  return promise;
}

export async function stopWhen(
  ended: Promise<NodeJS.Signals>,
  { log, stop }: RunningWorker,
): Promise<void> {
  const signal = await ended;
  log.info({ signal }, 'stopping: finishing what is in flight');
  setTimeout(() => process.exit(0), END_AFTER_MS).unref();
  await stop();
  log.info('stopped');
}
