import { constants, setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import type { KnownLists } from '../../domain/lists/known-lists.ts';
import type { FeedSnapshot, FeedSnapshots } from '../../ports/feed-snapshots.ts';
import { baseLists } from '../lists/base-lists.ts';
import { buildExport } from './build-export.ts';
import { contextOf, exporterOf } from './export-context.ts';
import type { Build, BuildEvent, ExportSettings, ThreadData, ToThread } from './export-messages.ts';
import { SpoolWriter } from './spool-writer.ts';
import { WrittenBytes } from './written-bytes.ts';

/** The program of the thread that builds exports. */

const { database, folder } = workerData as ThreadData;
const running = new Map<number, AbortController>();

// Requests come first if the processors are busy. Only Linux has priorities of threads; elsewhere
// this would be the priority of the process.
if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_BELOW_NORMAL);

parentPort?.on('message', (message: ToThread) => {
  if (message.kind === 'cancel') running.get(message.id)?.abort();
  else void run(message.id, message.build);
});

async function run(id: number, build: Build): Promise<void> {
  const send = (event: BuildEvent) => parentPort?.postMessage({ ...event, id });
  const cancelled = new AbortController();
  running.set(id, cancelled);
  try {
    await buildOnce(build, send, cancelled.signal);
    send({ kind: 'done' });
  } catch (cause) {
    const { message, code } = cause as NodeJS.ErrnoException;
    send({ kind: 'failed', message, code: cancelled.signal.aborted ? 'ABORT_ERR' : code });
  } finally {
    running.delete(id);
  }
}

async function buildOnce(
  { request, settings, fd }: Build,
  send: (event: BuildEvent) => void,
  signal: AbortSignal,
): Promise<void> {
  const snapshot = await openSnapshot(request.scope);
  try {
    const feeds = await snapshot.feeds();
    send({ kind: 'opened', feeds });
    const context = contextOf(request, feeds, { ...settings, lists: listsOf(settings) });
    const exporter = exporterOf(request.format);
    const written = new WrittenBytes((bytes) => send({ kind: 'written', bytes }));
    const spool = new SpoolWriter(fd, {
      onWrite: (bytes) => written.update(bytes),
      hasDigest: exporter.hasDigest,
    });
    const onTemporary = (bytes: number) => send({ kind: 'temporary', bytes });
    const options = { ...request, snapshot, exporter, context, signal, folder, onTemporary };
    await buildExport(options, spool);
    written.end();
  } finally {
    await snapshot.close();
  }
}

let lists: KnownLists | undefined;

/** The settings of a process do not change. */
function listsOf({ allowed }: ExportSettings): KnownLists {
  lists ??= baseLists(allowed);
  return lists;
}

let snapshots: Promise<FeedSnapshots> | undefined;

async function openSnapshot(scope: string | undefined): Promise<FeedSnapshot> {
  snapshots ??= openDatabase();
  return (await snapshots).open(scope);
}

/** Loads the driver of one database only. */
async function openDatabase(): Promise<FeedSnapshots> {
  if (database.kind === 'sqlite') {
    const { sqliteSnapshots } = await import('../../storage/snapshots/sqlite-snapshots.ts');
    return sqliteSnapshots(database.file);
  }
  const { postgresSnapshots } = await import('../../storage/snapshots/postgres-snapshots.ts');
  return postgresSnapshots(database.url);
}
