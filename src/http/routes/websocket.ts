import { type IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';
import { invalid, Problem } from '../../domain/problem.ts';
import { type FileHash, parseFileHash } from '../../domain/samples/file-hash.ts';
import type { Log } from '../../observability/log.ts';
import { awaitAnalysis } from '../../operations/samples/await-analysis.ts';
import { sampleStatus } from '../../operations/samples/sample-status.ts';
import type { HttpDependencies } from '../dependencies.ts';
import type { App } from '../fastify-types.ts';
import { AccountSlots } from '../gate/account-slots.ts';
import { normalizeUrl } from '../request-url.ts';

const PATH = '/websocket';
const MAX_CONNECTIONS = 100;
const MAX_WAIT_MS = 60_000;
/** Messages from clients are ignored. */
const MAX_MESSAGE_BYTES = 1024;
/** For clients that do not close their side. */
const CLOSE_WITHIN_MS = 1000;

const NORMAL = 1000;
const GOING_AWAY = 1001;
const POLICY_VIOLATION = 1008;
const DEFECT = 1011;

/** Whether a request is a WebSocket upgrade. All other upgrades are handled as plain HTTP. */
export function isWebSocketCall({ url, headers }: IncomingMessage): boolean {
  return normalizeUrl(pathOf(url ?? '')) === PATH && headers.upgrade?.toLowerCase() === 'websocket';
}

/**
 * A legacy interface: clients ask whether a file is known, and receive a message when its analysis
 * is done. They send the token in the URL, so operators must enable it.
 */
export function webSocketRoute(app: App, deps: HttpDependencies, log: Log): void {
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: MAX_MESSAGE_BYTES,
    perMessageDeflate: false,
  });
  const heads = new WeakMap<IncomingMessage, Buffer>();
  const slots = new AccountSlots(deps.accountLimits.webSockets, 'too_many_websockets');

  app.server.on('upgrade', (raw: IncomingMessage, socket: Socket, head: Buffer) => {
    heads.set(raw, head);
    hideToken(raw);
    routeUpgrade(app, raw, socket);
  });

  app.route({
    method: 'GET',
    url: PATH,
    config: { access: 'token', endsWithPermission: 'body' },
    schema: { hide: true },
    async handler(request, reply) {
      const { raw, query, id: requestId, permission } = request;
      const head = heads.get(raw);
      if (head === undefined)
        throw invalid('invalid_header', ['Upgrade must be "websocket" at this path.']);
      const hash = parseFileHash(String((query as { hash?: unknown }).hash ?? ''));
      if (hash === undefined) throw new Problem('invalid_hash');
      if (sockets.clients.size >= MAX_CONNECTIONS)
        throw new Problem('too_many_connections', { retryAfterSeconds: 5 });
      // The client may have disconnected during the query of the gate. Then `close` is not emitted
      // again, and the slot would leak.
      if (raw.socket.destroyed) {
        permission?.release();
        return reply.hijack();
      }
      raw.socket.once('close', slots.take(request.caller.accountId));
      reply.hijack();
      reply.raw.detachSocket(raw.socket);
      // The permission is released with the socket, because no response is sent.
      if (permission !== undefined) raw.socket.once('close', permission.release);
      sockets.handleUpgrade(raw, raw.socket, head, (socket) => {
        // A client that disconnects is not an error.
        socket.on('error', () => socket.terminate());
        permission?.signal.addEventListener('abort', () => close(socket, POLICY_VIOLATION));
        reportProgress(deps, hash, socket).catch((err: unknown) => {
          log.error({ err, requestId }, 'a WebSocket failed');
          close(socket, DEFECT);
        });
      });
      return reply;
    },
  });

  app.addHook('preClose', (done) => {
    for (const socket of sockets.clients) close(socket, GOING_AWAY);
    done();
  });
}

async function reportProgress(
  deps: HttpDependencies,
  hash: FileHash,
  socket: WebSocket,
): Promise<void> {
  const disconnected = new AbortController();
  socket.once('close', () => disconnected.abort());
  const { state } = await sampleStatus(deps, hash.hex);
  socket.send(state === 'unknown' ? 'STATUS:UPLOAD_REQUIRED' : 'STATUS:EXISTS');
  const end = await awaitAnalysis(deps, hash, {
    timeoutMs: MAX_WAIT_MS,
    signal: disconnected.signal,
  });
  if (end.state === 'done') socket.send('UPDATE:STATIC_COMPLETED');
  close(socket, NORMAL);
}

function close(socket: WebSocket, code: number): void {
  socket.close(code);
  const timer = setTimeout(() => socket.terminate(), CLOSE_WITHIN_MS);
  timer.unref();
  socket.once('close', () => clearTimeout(timer));
}

/**
 * Passes the upgrade to fastify's router, so that it is checked and refused like any other request.
 */
function routeUpgrade(app: App, raw: IncomingMessage, socket: Socket): void {
  // Node has removed its own error listener.
  socket.on('error', () => socket.destroy());
  const response = new ServerResponse(raw);
  response.shouldKeepAlive = false;
  response.assignSocket(socket);
  response.once('finish', () => socket.destroySoon());
  app.routing(raw, response);
}

/** Moves the token from the URL into a header, so that it is not logged with the URL. */
function hideToken(raw: IncomingMessage): void {
  const url = raw.url ?? '';
  const query = new URLSearchParams(url.slice(pathOf(url).length));
  const token = query.get('apikey');
  if (token === null) return;
  query.delete('apikey');
  raw.url = `${PATH}?${query}`;
  raw.headers.authorization = token;
}

function pathOf(url: string): string {
  return url.replace(/[?#].*$/s, '');
}
