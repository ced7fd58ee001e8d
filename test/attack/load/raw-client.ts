import { connect, type Socket } from 'node:net';

/** The server, and the token of the caller. */
export interface LoadOptions {
  readonly url: string;
  readonly token?: string;
}

export interface RawClient {
  readonly socket: Socket;
  /** The number of bytes that the local socket buffers have accepted. */
  readonly sentBytes: () => number;
}

/**
 * Opens a connection that reads nothing. Errors are ignored: the server may close it at any time.
 */
export async function openNonReadingClient(url: string): Promise<RawClient> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  socket.pause();
  const { promise, resolve } = Promise.withResolvers<void>();
  socket.once('connect', resolve).once('close', resolve);
  await promise;
  return { socket, sentBytes: () => socket.bytesWritten - socket.writableLength };
}

export async function openNonReadingClients(
  url: string,
  count: number,
): Promise<readonly RawClient[]> {
  const clients: RawClient[] = [];
  for (let made = 0; made < count; made += 1) clients.push(await openNonReadingClient(url));
  return clients;
}

/** The head of a request; `Connection` is left at its default, which keeps the connection open. */
export function requestHead(
  line: string,
  token: string | undefined,
  headers: readonly string[] = [],
): string {
  const authorization = token === undefined ? [] : [`Authorization: ${token}`];
  return [`${line} HTTP/1.1`, 'Host: x', ...authorization, ...headers, '', ''].join('\r\n');
}

/** A request with a JSON body. */
export function jsonRequest(line: string, token: string | undefined, body: unknown): string {
  const text = JSON.stringify(body);
  const headers = ['Content-Type: application/json', `Content-Length: ${Buffer.byteLength(text)}`];
  return requestHead(line, token, headers) + text;
}

/** Counts the connections that the server has closed. */
export function countClosed(clients: readonly RawClient[]): number {
  return clients.filter(({ socket }) => socket.destroyed || socket.readableEnded).length;
}

export function closeAll(clients: readonly RawClient[]): void {
  for (const { socket } of clients) socket.destroy();
}
