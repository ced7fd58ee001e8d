import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';

/**
 * The worker of `checkpointer.ts`: checkpoints on each message and posts the number of pages in the
 * log, and of those that are checkpointed.
 */
let checkpoint: StatementSync | undefined;

parentPort?.on('message', () => parentPort?.postMessage(runCheckpoint()));

/** Returns `undefined` on failure: a disk that is full now may have space a minute later. */
function runCheckpoint(): unknown {
  try {
    checkpoint ??= open();
    return checkpoint.get();
  } catch {
    return undefined;
  }
}

function open(): StatementSync {
  const db = new DatabaseSync(workerData as string);
  db.exec('pragma synchronous = full; pragma wal_autocheckpoint = 0');
  return db.prepare('pragma wal_checkpoint(passive)');
}
