import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below the ports that systems choose for connections and for listeners on port 0. */
const FIRST = 20_000;
const COUNT = 12_000;
/** More than one process uses. */
const PER_PROCESS = 101;

/** Processes that run at once have different numbers, and so start at different ports. */
let next = (process.pid * PER_PROCESS) % COUNT;

/**
 * Returns a port on which no process listens, for a program that cannot choose one itself. A port
 * of the system's own choice could be taken again before that program has started.
 */
export async function freePort(): Promise<number> {
  for (let tried = 0; tried < COUNT; tried += 1) {
    const port = FIRST + next;
    next = (next + 1) % COUNT;
    if (await isFree(port)) return port;
  }
  throw new Error(`none of the ports from ${FIRST} to ${FIRST + COUNT - 1} is free`);
}

/** On all addresses of this machine. */
async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '0.0.0.0');
  try {
    await once(server, 'listening');
  } catch {
    return false;
  }
  server.close();
  await once(server, 'close');
  return true;
}
