import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { until } from '../../../test/until.ts';
import { Checkpointer } from './checkpointer.ts';
import { openDatabase } from './open.ts';

it('goes on moving the log after that has failed, as on a full disk', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'rapsheet-checkpoint-'));
  const file = join(folder, 'rapsheet.db');
  const db = openDatabase(file);
  // What it cannot open, until there is something.
  const link = join(folder, 'link.db');
  symlinkSync(join(folder, 'nowhere', 'rapsheet.db'), link);
  const checkpointer = new Checkpointer(db, link, 1);
  // It has nothing to move where the log was begun anew.
  const moved = db.prepare('pragma wal_checkpoint(noop)');
  const isMoved = () => {
    const { log, checkpointed } = moved.get() as { log: number; checkpointed: number };
    return log > 0 && log === checkpointed;
  };

  // Long enough for a thread to start, and to fail.
  for (let turn = 0; turn < 30; turn += 1) {
    checkpointer.committed();
    await pause(10);
  }
  assert.equal(isMoved(), false);
  rmSync(link);
  symlinkSync(file, link);
  await until(() => {
    checkpointer.committed();
    return isMoved();
  }, 'the log is moved');

  await checkpointer.close();
  db.close();
  rmSync(folder, { recursive: true });
});
