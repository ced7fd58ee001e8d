import type { RunningWorker } from '../server/start-worker.ts';
import { CommandError, EXIT } from './command.ts';

/** The process exits after this time, even if the shutdown is not complete. */
const SHUTDOWN_TIMEOUT_MS = 10_000;

/**
 * On Ctrl-C a terminal signals the whole process group, and a parent such as npm may forward the
 * signal: within this time a second signal is a duplicate. A later one ends the process at once.
 */
const DUPLICATE_SIGNAL_MS = 500;

/**
 * Call before the server starts to listen, so that a signal at any time leads to a clean shutdown.
 */
export function shutdownSignal(): Promise<NodeJS.Signals> {
  const { promise, resolve } = Promise.withResolvers<NodeJS.Signals>();
  onShutdownSignal(resolve);
  return promise;
}

/** Calls the listener on SIGINT and SIGTERM. Returns a function that removes it. */
export function onShutdownSignal(listener: (signal: NodeJS.Signals) => void): () => void {
  const offs = [listenFor('SIGINT', listener), listenFor('SIGTERM', listener)];
  return () => {
    for (const off of offs) off();
  };
}

function listenFor(signal: NodeJS.Signals, listener: (signal: NodeJS.Signals) => void): () => void {
  let isReceived = false;
  // Not `once`: a duplicate that arrives without a listener would end the process.
  const listen = () => {
    if (isReceived) return;
    isReceived = true;
    setTimeout(off, DUPLICATE_SIGNAL_MS).unref();
    listener(signal);
  };
  const off = () => process.off(signal, listen);
  process.on(signal, listen);
  return off;
}

/** Stops on a signal, or if the store no longer admits this process; the latter is a failure. */
export async function stopOnSignal(
  received: Promise<NodeJS.Signals>,
  { log, refused, stop }: RunningWorker,
): Promise<void> {
  const ending = await Promise.race([
    received.then((signal) => ({ signal, reason: undefined })),
    refused.then((cause) => ({ reason: cause })),
  ]);
  const { reason } = ending;
  log.info(ending, 'stopping: finishing requests and jobs in flight');
  const exitCode = reason === undefined ? EXIT.ok : EXIT.refused;
  setTimeout(() => process.exit(exitCode), SHUTDOWN_TIMEOUT_MS).unref();
  await stop();
  log.info('stopped');
  if (reason !== undefined) throw new CommandError(`stopped: ${reason}`, exitCode);
}
