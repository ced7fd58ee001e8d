import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';

/** The other side of `checkpointer.ts`: moves the log into the database whenever it is asked, and tells what is left. */
const db = new DatabaseSync(workerData as string);
db.exec('pragma synchronous = full; pragma wal_autocheckpoint = 0');
const checkpoint = db.prepare('pragma wal_checkpoint(passive)');

parentPort?.on('message', () => {
  const { log, checkpointed } = checkpoint.get() as { log: number; checkpointed: number };
  parentPort?.postMessage(log - checkpointed);
});
