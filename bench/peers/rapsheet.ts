import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { startRapsheet } from '../processes.ts';
import { creates, lookups } from '../requests.ts';
import { storeOf } from '../stores.ts';
import { type Peer, type PeerOperation, READS } from './peer.ts';

const operations: readonly PeerOperation[] = [
  {
    name: 'look a file up by its SHA-256',
    plan: { ...READS, connections: 64 },
    requests: (count) => lookups(count).slice(0, 20_000),
  },
  {
    name: 'add an object',
    plan: { connections: 64, once: true },
    requests: (count) => creates(count, 1_000_000).slice(0, 20_000),
  },
];

export const rapsheet: Peer = {
  name: 'Rapsheet',
  setUp: 'SQLite with a full flush of every commit, one process, without analysis workers',
  install: async () => undefined,
  start: async (count, folder) => {
    copyFileSync(join(storeOf(count), 'rapsheet.db'), join(folder, 'rapsheet.db'));
    // As MWDB without Karton: files are stored, but not analysed.
    const settings = { RAPSHEET_ANALYSIS_WORKERS: '0' };
    const server = await startRapsheet(folder, { unpinned: true, settings });
    return { port: server.port, pids: [server.pid], operations, stop: () => server.stop() };
  },
};
