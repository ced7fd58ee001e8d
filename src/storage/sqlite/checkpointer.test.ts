import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { until } from '../../../test/until.ts';
import { Checkpointer } from './checkpointer.ts';
import { openDatabase } from './open.ts';

it('continues after a failed checkpoint, as on a full disk', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'rapsheet-checkpoint-'));
  const file = join(folder, 'rapsheet.db');
  const db = openDatabase(file);
  // A dangling link, which it cannot open.
  const link = join(folder, 'link.db');
  symlinkSync(join(folder, 'nowhere', 'rapsheet.db'), link);
  const checkpointer = new Checkpointer(db, link, { intervalMs: 1 });
  // A log that was restarted has no pages.
  const noop = db.prepare('pragma wal_checkpoint(noop)');
  const isCheckpointed = () => {
    const { log, checkpointed } = noop.get() as { log: number; checkpointed: number };
    return log > 0 && log === checkpointed;
  };

  // Long enough for the thread to start and to fail.
  for (let turn = 0; turn < 30; turn += 1) {
    checkpointer.committed();
    await pause(10);
  }
  assert.equal(isCheckpointed(), false);
  rmSync(link);
  symlinkSync(file, link);
  await until(() => {
    checkpointer.committed();
    return isCheckpointed();
  }, 'the log is checkpointed');

  await checkpointer.close();
  db.close();
  rmSync(folder, { recursive: true });
});
