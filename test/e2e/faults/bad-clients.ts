import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { TestInstallation } from '../../installation.ts';
import { eventually } from '../../until.ts';
import { compare, unsettled } from '../cluster/compare.ts';
import { Load } from '../cluster/load.ts';
import { footprintOf, isBack } from './footprint.ts';
import { OneServer } from './one-server.ts';
import { Readers } from './readers.ts';

export interface BadClientsPlan {
  /** So many of them, of all kinds together. */
  readonly clients: number;
  readonly forMs: number;
}

export interface BadClientsResult {
  readonly clients: Readonly<Record<string, number>>;
  readonly reports: number;
  readonly lookups: number;
  readonly reads: number;
  readonly slowestMs: number;
  /** Before the first crowd, before the second, while it was there, and after it. */
  readonly rssMib: readonly number[];
  readonly broken: readonly string[];
}

/** Generous: nobody may wait for those who are slow, on a slow machine either. */
const MOST_MS = 15_000;
const WARM_UP_MS = 4000;
const BACK_WITHIN_MS = 60_000;
/** Good callers keep some connections for their next call. */
const SPARE_SOCKETS = 40;
const DROP_EVERY_MS = 1000;

interface Bad {
  readonly socket: Socket;
  readonly token: string;
}

interface Kind {
  begin(bad: Bad): void;
  goOn?(bad: Bad): void;
}

/** What each kind does once it is connected, and then every second. */
const KINDS: Readonly<Record<string, Kind>> = {
  // Never comes to the end of its headers.
  drops: {
    begin: ({ socket }) => socket.write('GET /livez HTTP/1.1\r\nHost: x\r\nX-Slow: '),
    goOn: ({ socket }) => socket.write('x'),
  },
  // Asks for much, again and again, and reads nothing of it.
  'deaf to pages': {
    begin({ socket, token }) {
      socket.pause();
      socket.write(get('/feed/ply/reports?limit=1000', token).repeat(20));
    },
  },
  'deaf to a stream': {
    begin({ socket, token }) {
      socket.pause();
      socket.write(get('/feed/ply/stream?since=0', token));
    },
  },
  'half closed': {
    begin: ({ socket, token }) => socket.end(get('/feed/ply/reports?limit=1000', token)),
  },
  'half a request': {
    begin: ({ socket, token }) =>
      socket.end(`${upload(token)}--b\r\nContent-Disposition: form-data; name="file"`),
  },
  // A body that takes for ever.
  trickles: {
    begin: ({ socket, token }) =>
      socket.write(
        `${upload(token)}--b\r\nContent-Disposition: form-data; name="file"; filename="x"\r\n\r\nMZ`,
      ),
    goOn: ({ socket }) => socket.write('x'),
  },
};
const SILENT: readonly [string, Kind] = ['silent', { begin: () => undefined }];

function get(path: string, token: string): string {
  return `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: ${token}\r\n\r\n`;
}

function upload(token: string): string {
  return `POST /private/upload HTTP/1.1\r\nHost: x\r\nAuthorization: ${token}\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: 1000000\r\n\r\n`;
}

/**
 * Callers who mean well go on while others dawdle on their connections; then those are gone, and so
 * is what they took.
 */
export async function badClients({ clients, forMs }: BadClientsPlan): Promise<BadClientsResult> {
  const installation = new TestInstallation();
  const site = new OneServer(installation);
  try {
    await site.start();
    const { token, account } = await site.prepare();
    const load = new Load(site, token);
    const readers = new Readers(site, token, load);
    const broken: string[] = [];
    await pause(WARM_UP_MS);
    if (!(await load.goesOn())) broken.push('nothing was acknowledged in the beginning');
    const port = Number(new URL(site.urls[0] ?? '').port);
    const untouched = footprintOf(site.pid);
    // What a heap has once grown to it keeps for the next time: so the second crowd counts, which
    // must find enough there.
    const first = await Crowd.open(port, token, clients);
    await pause(forMs);
    first.leave();
    await pause(WARM_UP_MS);
    const before = footprintOf(site.pid);

    const counts = [load.acknowledged, load.told.served, readers.served];
    const bad = await Crowd.open(port, token, clients);
    await pause(forMs);
    const during = footprintOf(site.pid);
    const after = [load.acknowledged, load.told.served, readers.served];
    if (after.some((count, index) => count <= (counts[index] ?? 0)))
      broken.push(`while they were there, ${counts} became ${after}`);
    bad.leave();

    // With callers: what is no longer needed is given back only where something else is.
    const incoming = () => readdirSync(join(installation.dataDir, 'samples', 'incoming'));
    const left = await eventually(
      async () => ({ now: footprintOf(site.pid), files: incoming().length }),
      ({ now, files }) => isBack(now, before, SPARE_SOCKETS) && files === 0,
      BACK_WITHIN_MS,
    );
    if (!isBack(left.now, before, SPARE_SOCKETS) || left.files > 0)
      broken.push(`${JSON.stringify(before)} became ${JSON.stringify(left)}`);
    const told = await load.stop();
    await readers.stop();
    if (told.refused + readers.refused + told.cutOff > 0)
      broken.push(`${told.refused + readers.refused} calls were refused, ${told.cutOff} cut off`);
    if (told.slowestMs > MOST_MS) broken.push(`a call took ${Math.round(told.slowestMs)} ms`);
    broken.push(...told.broken, ...readers.broken, ...(await unsettled(site.client(), told)));
    broken.push(...(await compare((sql) => site.look(sql), told, account.id)));

    return {
      clients: bad.counts,
      reports: told.sent.length,
      lookups: told.served,
      reads: readers.served,
      slowestMs: Math.round(told.slowestMs),
      rssMib: [untouched, before, during, left.now].map(({ rssBytes }) =>
        Math.round(rssBytes / 2 ** 20),
      ),
      broken,
    };
  } finally {
    await installation.close();
  }
}

/** All of the bad ones, as many of each kind. */
class Crowd {
  readonly counts: Record<string, number> = {};
  readonly #sockets: Socket[] = [];
  readonly #timers: NodeJS.Timeout[] = [];

  static async open(port: number, token: string, count: number): Promise<Crowd> {
    const crowd = new Crowd();
    const kinds = [...Object.entries(KINDS), SILENT];
    for (let number = 0; number < count; number += 1) {
      const [name, { begin, goOn }] = kinds[number % kinds.length] ?? SILENT;
      const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
      socket.on('error', () => undefined);
      await once(socket, 'connect');
      begin({ socket, token });
      if (goOn !== undefined)
        crowd.#timers.push(setInterval(() => goOn({ socket, token }), DROP_EVERY_MS));
      crowd.#sockets.push(socket);
      crowd.counts[name] = (crowd.counts[name] ?? 0) + 1;
    }
    return crowd;
  }

  leave(): void {
    for (const timer of this.#timers) clearInterval(timer);
    for (const socket of this.#sockets) socket.destroy();
  }
}
