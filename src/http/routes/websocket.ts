import { type IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';
import { invalid, Problem } from '../../domain/problem.ts';
import { type FileHash, parseFileHash } from '../../domain/samples/file-hash.ts';
import type { Log } from '../../observability/log.ts';
import { awaitAnalysis } from '../../operations/samples/await-analysis.ts';
import type { HttpDependencies } from '../dependencies.ts';
import { AccountSlots } from '../gate/account-slots.ts';
import type { App } from '../typed-app.ts';

const ADDRESS = '/websocket';
const MOST_CONNECTIONS = 100;
const LONGEST_MS = 60_000;
/** Nothing that a client sends is listened to. */
const MAX_MESSAGE_BYTES = 1024;
/** For a client that does not close its side. */
const CLOSE_WITHIN_MS = 1000;

const NORMAL = 1000;
const GOING_AWAY = 1001;
const POLICY_VIOLATION = 1008;
const DEFECT = 1011;

/** Whether a call wants to become a WebSocket. All others are read as plain HTTP, whatever they offer. */
export function isWebSocketCall({ url, headers }: IncomingMessage): boolean {
  return pathOf(url ?? '') === ADDRESS && headers.upgrade?.toLowerCase() === 'websocket';
}

/**
 * How an older client asks whether a file is known, and is told when its analysis is done. It has its token in the
 * address, so it is there only where an operator wants it.
 */
export function webSocketRoute(app: App, deps: HttpDependencies, log: Log): void {
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: MAX_MESSAGE_BYTES,
    perMessageDeflate: false,
  });
  const heads = new WeakMap<IncomingMessage, Buffer>();
  const { webSockets: limit } = deps.accountLimits;
  const slots = new AccountSlots(limit);

  app.server.on('upgrade', (raw: IncomingMessage, socket: Socket, head: Buffer) => {
    heads.set(raw, head);
    hideToken(raw);
    routeUpgrade(app, raw, socket);
  });

  app.route({
    method: 'GET',
    url: ADDRESS,
    config: { access: 'token', endsWithPermission: 'body' },
    schema: { hide: true },
    async handler(request, reply) {
      const { raw, query, id: requestId, permission } = request;
      const head = heads.get(raw);
      if (head === undefined)
        throw invalid('invalid_header', ['Upgrade must be "websocket" at this address.']);
      const hash = parseFileHash(String((query as { hash?: unknown }).hash ?? ''));
      if (hash === undefined) throw new Problem('invalid_hash');
      if (sockets.clients.size >= MOST_CONNECTIONS)
        throw new Problem('too_many_connections', { retryAfterSeconds: 5 });
      // One that left while the gate asked the store closes no more, and would keep its slot.
      if (raw.socket.destroyed) {
        permission?.release();
        return reply.hijack();
      }
      const release = slots.take(request.caller.accountId);
      if (release === undefined)
        throw new Problem('too_many_websockets', { words: { limit }, retryAfterSeconds: 5 });
      raw.socket.once('close', release);
      reply.hijack();
      reply.raw.detachSocket(raw.socket);
      // The answer that would release it is never sent.
      if (permission !== undefined) raw.socket.once('close', permission.release);
      sockets.handleUpgrade(raw, raw.socket, head, (socket) => {
        // A client that breaks off is no fault of ours.
        socket.on('error', () => socket.terminate());
        permission?.signal.addEventListener('abort', () => close(socket, POLICY_VIOLATION));
        converse(deps, hash, socket).catch((err: unknown) => {
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

async function converse(deps: HttpDependencies, hash: FileHash, socket: WebSocket): Promise<void> {
  const gone = new AbortController();
  socket.once('close', () => gone.abort());
  const { state } = await deps.store.samples.status(hash);
  socket.send(state === 'unknown' ? 'STATUS:UPLOAD_REQUIRED' : 'STATUS:EXISTS');
  const end = await awaitAnalysis(deps, hash, { timeoutMs: LONGEST_MS, signal: gone.signal });
  if (end.state === 'done') socket.send('UPDATE:STATIC_COMPLETED');
  close(socket, NORMAL);
}

function close(socket: WebSocket, code: number): void {
  socket.close(code);
  const timer = setTimeout(() => socket.terminate(), CLOSE_WITHIN_MS);
  timer.unref();
  socket.once('close', () => clearTimeout(timer));
}

/** Lets the call go the way of every other one, so that it is checked and refused like them. */
function routeUpgrade(app: App, raw: IncomingMessage, socket: Socket): void {
  // Node listens to it no longer.
  socket.on('error', () => socket.destroy());
  const response = new ServerResponse(raw);
  response.shouldKeepAlive = false;
  response.assignSocket(socket);
  response.once('finish', () => socket.destroySoon());
  app.routing(raw, response);
}

/** From here on it is in a header, like all tokens: whatever shows an address does not show it. */
function hideToken(raw: IncomingMessage): void {
  const url = raw.url ?? '';
  const query = new URLSearchParams(url.slice(pathOf(url).length));
  const token = query.get('apikey');
  if (token === null) return;
  query.delete('apikey');
  raw.url = `${ADDRESS}?${query}`;
  raw.headers.authorization = token;
}

function pathOf(url: string): string {
  return url.replace(/[?#].*$/s, '');
}
