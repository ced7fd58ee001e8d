import type sqlite from 'node:sqlite';
import type threads from 'node:worker_threads';

/**
 * The worker of `checkpointer.ts`: checkpoints on each message and posts the number of pages in the
 * log, and of those that are checkpointed. The thread gets the text of this function, which
 * therefore uses nothing outside itself: a thread that loads a TypeScript file also loads Node's
 * parser of TypeScript, which takes 10 MB.
 */
export function checkpointThread(
  { DatabaseSync }: Pick<typeof sqlite, 'DatabaseSync'>,
  { parentPort, workerData }: Pick<typeof threads, 'parentPort' | 'workerData'>,
): void {
  let checkpoint: sqlite.StatementSync | undefined;

  parentPort?.on('message', () => parentPort.postMessage(runCheckpoint()));

  /** Returns `undefined` on failure: a disk that is full now may have space a minute later. */
  function runCheckpoint(): unknown {
    try {
      checkpoint ??= open();
      return checkpoint.get();
    } catch {
      return undefined;
    }
  }

  function open(): sqlite.StatementSync {
    const db = new DatabaseSync(workerData as string);
    db.exec('pragma synchronous = full; pragma wal_autocheckpoint = 0');
    return db.prepare('pragma wal_checkpoint(passive)');
  }
}
