import type { RunningWorker } from '../server/start.ts';

/** After this long the process ends, whatever keeps it. */
const END_AFTER_MS = 10_000;

/**
 * A terminal tells everybody in it, and whoever has started us tells us as well: so soon after the first it is the same
 * word. One that comes later ends the process at once.
 */
const SAME_WORD_MS = 500;

/** To be asked for before anybody can see that it runs: whoever ends it from then on, ends it in order. */
export function endOfProcess(): Promise<NodeJS.Signals> {
  const { promise, resolve } = Promise.withResolvers<NodeJS.Signals>();
  onEnd(resolve);
  return promise;
}

/** Calls that when the process is told to end. Returns what takes it back. */
export function onEnd(listener: (signal: NodeJS.Signals) => void): () => void {
  const offs = [hear('SIGINT', listener), hear('SIGTERM', listener)];
  return () => {
    for (const off of offs) off();
  };
}

function hear(signal: NodeJS.Signals, listener: (signal: NodeJS.Signals) => void): () => void {
  let isHeard = false;
  // Not `once`: without a listener the system ends the process, and the second word may come at the very moment.
  const listen = () => {
    if (isHeard) return;
    isHeard = true;
    setTimeout(off, SAME_WORD_MS).unref();
    listener(signal);
  };
  const off = () => process.off(signal, listen);
  process.on(signal, listen);
  return off;
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
