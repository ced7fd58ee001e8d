import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** A response on an open connection is complete after this time without data. */
const SILENCE_MS = 1500;
const MAX_MS = 15_000;

export interface Exchange {
  /** All received bytes, as latin1. */
  readonly received: string;
  /** The statuses of all responses. */
  readonly statuses: readonly number[];
  /** Whether the server closed the connection. */
  readonly isClosed: boolean;
}

/** Opens a connection on which errors are expected. */
export async function open(port: number): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  socket.on('error', () => undefined);
  await Promise.race([once(socket, 'connect'), once(socket, 'close')]);
  return socket;
}

/** Sends bytes and reads until the server closes the connection or is silent. */
export async function exchange(port: number, bytes: string | Buffer): Promise<Exchange> {
  const socket = await open(port);
  const parts: Buffer[] = [];
  const { promise: ended, resolve: end } = Promise.withResolvers<boolean>();
  let silence = setTimeout(() => end(false), SILENCE_MS * 3);
  const limit = setTimeout(() => end(false), MAX_MS);
  socket.on('data', (part: Buffer) => {
    parts.push(part);
    clearTimeout(silence);
    silence = setTimeout(() => end(false), SILENCE_MS);
  });
  socket.on('end', () => end(true));
  socket.on('close', () => end(true));
  socket.write(bytes);
  const isClosed = await ended;
  clearTimeout(silence);
  clearTimeout(limit);
  socket.destroy();
  const received = Buffer.concat(parts).toString('latin1');
  const statuses = [...received.matchAll(/^HTTP\/1\.1 (\d{3}) /gm)].map(([, status]) =>
    Number(status),
  );
  return { received, statuses, isClosed };
}
