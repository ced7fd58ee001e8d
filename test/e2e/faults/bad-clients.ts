import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { TestInstallation } from '../../installation.ts';
import { eventually } from '../../until.ts';
import { compare, unsettled } from '../cluster/compare.ts';
import { Load } from '../cluster/load.ts';
import { footprintOf, hasRecovered } from './footprint.ts';
import { Readers } from './readers.ts';
import { SingleServer } from './single-server.ts';

export interface BadClientsPlan {
  /** The number of bad clients of all kinds together. */
  readonly clients: number;
  readonly forMs: number;
}

export interface BadClientsResult {
  readonly clients: Readonly<Record<string, number>>;
  readonly reports: number;
  readonly lookups: number;
  readonly reads: number;
  readonly slowestMs: number;
  /** Before the first group, before the second, during the second, and after it. */
  readonly rssMib: readonly number[];
  readonly broken: readonly string[];
}

/** Other calls must not wait for slow clients; generous, for slow machines. */
const MAX_MS = 15_000;
const WARM_UP_MS = 4000;
const RECOVERY_MS = 60_000;
/** Other callers keep idle connections. */
const SPARE_SOCKETS = 40;
const SEND_EVERY_MS = 1000;

interface BadClient {
  readonly socket: Socket;
  readonly token: string;
}

interface Kind {
  onConnect(client: BadClient): void;
  everySecond?(client: BadClient): void;
}

/** What each kind sends when it is connected, and then every second. */
const KINDS: Readonly<Record<string, Kind>> = {
  // Never ends its headers.
  'slow headers': {
    onConnect: ({ socket }) => socket.write('GET /livez HTTP/1.1\r\nHost: x\r\nX-Slow: '),
    everySecond: ({ socket }) => socket.write('x'),
  },
  // Requests large pages and reads none.
  'unread pages': {
    onConnect({ socket, token }) {
      socket.pause();
      socket.write(get('/feed/ply/reports?limit=1000', token).repeat(20));
    },
  },
  'unread stream': {
    onConnect({ socket, token }) {
      socket.pause();
      socket.write(get('/feed/ply/stream?since=0', token));
    },
  },
  'half closed': {
    onConnect: ({ socket, token }) => socket.end(get('/feed/ply/reports?limit=1000', token)),
  },
  'half a request': {
    onConnect: ({ socket, token }) =>
      socket.end(`${upload(token)}--b\r\nContent-Disposition: form-data; name="file"`),
  },
  // Never ends its body.
  'slow body': {
    onConnect: ({ socket, token }) =>
      socket.write(
        `${upload(token)}--b\r\nContent-Disposition: form-data; name="file"; filename="x"\r\n\r\nMZ`,
      ),
    everySecond: ({ socket }) => socket.write('x'),
  },
};
const SILENT: readonly [string, Kind] = ['silent', { onConnect: () => undefined }];

function get(path: string, token: string): string {
  return `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: ${token}\r\n\r\n`;
}

function upload(token: string): string {
  return `POST /private/upload HTTP/1.1\r\nHost: x\r\nAuthorization: ${token}\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: 1000000\r\n\r\n`;
}

/**
 * Runs a normal load while other clients are slow or stalled. After these disconnect, the server
 * must release their sockets, memory and files.
 */
export async function badClients({ clients, forMs }: BadClientsPlan): Promise<BadClientsResult> {
  const installation = new TestInstallation();
  const server = new SingleServer(installation);
  try {
    await server.start();
    const { token, account } = await server.prepare();
    const load = new Load(server, token);
    const readers = new Readers(server, token, load);
    const broken: string[] = [];
    await pause(WARM_UP_MS);
    if (!(await load.makesProgress())) broken.push('nothing was acknowledged before the fault');
    const port = Number(new URL(server.urls[0] ?? '').port);
    const untouched = footprintOf(server.pid);
    // A heap does not shrink at once, so the second group is measured: the heap has already grown
    // to the size that it needs.
    const first = await ClientGroup.open(port, token, clients);
    await pause(forMs);
    first.close();
    await pause(WARM_UP_MS);
    const before = footprintOf(server.pid);

    const counts = [load.acknowledged, load.results.served, readers.served];
    const bad = await ClientGroup.open(port, token, clients);
    await pause(forMs);
    const during = footprintOf(server.pid);
    const after = [load.acknowledged, load.results.served, readers.served];
    if (after.some((count, index) => count <= (counts[index] ?? 0)))
      broken.push(`with the bad clients connected, ${counts} became ${after}`);
    bad.close();

    // The load continues: an idle process does not collect garbage.
    const incoming = () => readdirSync(join(installation.dataDir, 'samples', 'incoming'));
    const remaining = await eventually(
      async () => ({ now: footprintOf(server.pid), files: incoming().length }),
      ({ now, files }) => hasRecovered(now, before, SPARE_SOCKETS) && files === 0,
      RECOVERY_MS,
    );
    if (!hasRecovered(remaining.now, before, SPARE_SOCKETS) || remaining.files > 0)
      broken.push(`${JSON.stringify(before)} became ${JSON.stringify(remaining)}`);
    const results = await load.stop();
    await readers.stop();
    if (results.refused + readers.refused + results.cutOff > 0)
      broken.push(
        `${results.refused + readers.refused} calls were refused, ${results.cutOff} cut off`,
      );
    if (results.slowestMs > MAX_MS) broken.push(`a call took ${Math.round(results.slowestMs)} ms`);
    broken.push(
      ...results.broken,
      ...readers.broken,
      ...(await unsettled(server.client(), results)),
    );
    broken.push(...(await compare((sql) => server.query(sql), results, account.id)));

    return {
      clients: bad.counts,
      reports: results.sent.length,
      lookups: results.served,
      reads: readers.served,
      slowestMs: Math.round(results.slowestMs),
      rssMib: [untouched, before, during, remaining.now].map(({ rssBytes }) =>
        Math.round(rssBytes / 2 ** 20),
      ),
      broken,
    };
  } finally {
    await installation.close();
  }
}

/** Connections of bad clients, evenly distributed over the kinds. */
class ClientGroup {
  readonly counts: Record<string, number> = {};
  readonly #sockets: Socket[] = [];
  readonly #timers: NodeJS.Timeout[] = [];

  static async open(port: number, token: string, count: number): Promise<ClientGroup> {
    const group = new ClientGroup();
    const kinds = [...Object.entries(KINDS), SILENT];
    for (let number = 0; number < count; number += 1) {
      const [name, { onConnect, everySecond }] = kinds[number % kinds.length] ?? SILENT;
      const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
      socket.on('error', () => undefined);
      await once(socket, 'connect');
      onConnect({ socket, token });
      if (everySecond !== undefined)
        group.#timers.push(setInterval(() => everySecond({ socket, token }), SEND_EVERY_MS));
      group.#sockets.push(socket);
      group.counts[name] = (group.counts[name] ?? 0) + 1;
    }
    return group;
  }

  close(): void {
    for (const timer of this.#timers) clearInterval(timer);
    for (const socket of this.#sockets) socket.destroy();
  }
}
