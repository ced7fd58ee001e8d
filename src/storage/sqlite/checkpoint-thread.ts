import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';

/** The other side of `checkpointer.ts`: moves the log into the database whenever it is asked, and tells what is left. */
let checkpoint: StatementSync | undefined;

parentPort?.on('message', () => parentPort?.postMessage(moveLog()));

/** `undefined` where it failed: a disk may be full now, and have room a minute later. */
function moveLog(): number | undefined {
  try {
    checkpoint ??= open();
    const { log, checkpointed } = checkpoint.get() as { log: number; checkpointed: number };
    return log - checkpointed;
  } catch {
    return undefined;
  }
}

function open(): StatementSync {
  const db = new DatabaseSync(workerData as string);
  db.exec('pragma synchronous = full; pragma wal_autocheckpoint = 0');
  return db.prepare('pragma wal_checkpoint(passive)');
}
