import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { it } from 'node:test';
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import { until } from '../../../test/until.ts';
import { Checkpointer } from './checkpointer.ts';
import { openDatabase } from './open.ts';

function pagesOf(db: DatabaseSync) {
  const pages = db.prepare('pragma wal_checkpoint(noop)').get();
  return pages as unknown as { readonly log: number; readonly checkpointed: number };
}

async function withCheckpointer(
  restartPages: number,
  check: (checkpointer: Checkpointer, db: DatabaseSync) => Promise<void>,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'rapsheet-checkpoint-'));
  const file = join(folder, 'rapsheet.db');
  const db = openDatabase(file);
  db.exec('create table filler (text text) strict');
  const checkpointer = new Checkpointer(db, file, { intervalMs: 1, restartPages });
  await check(checkpointer, db);
  await checkpointer.close();
  db.close();
  rmSync(folder, { recursive: true });
}

/** Each turn is observed: the pass may be over after a few. */
async function startOfLastPass(checkpointer: Checkpointer) {
  while (checkpointer.lastPass === undefined) {
    checkpointer.committed();
    await nextTurn();
  }
  return { isOver: checkpointer.lastPass };
}

function write(db: DatabaseSync): void {
  db.exec("insert into filler values ('text')");
}

it('restarts a large log while there are always writes, which wait for the last pass', () =>
  withCheckpointer(1, async (checkpointer, db) => {
    const sizes: number[] = [];
    await until(async () => {
      await checkpointer.lastPass;
      write(db);
      checkpointer.committed();
      sizes.push(pagesOf(db).log);
      return (sizes.at(-1) ?? 0) < Math.max(...sizes);
    }, 'the log restarts');
  }));

it('lets writes continue while a log is checkpointed that is not large', () =>
  withCheckpointer(1_000_000, async (checkpointer, db) => {
    await until(() => {
      assert.equal(checkpointer.lastPass, undefined);
      checkpointer.committed();
      return pagesOf(db).checkpointed > 0;
    }, 'the log is checkpointed');
  }));

it('starts the last pass after the transaction that is open', () =>
  withCheckpointer(1, async (checkpointer, db) => {
    db.exec('begin');
    write(db);
    // Long enough for both passes before it.
    for (let round = 0; round < 30; round += 1) {
      checkpointer.committed();
      await pause(10);
      assert.equal(checkpointer.lastPass, undefined);
    }
    db.exec('commit');
    await (await startOfLastPass(checkpointer)).isOver;
    const { log, checkpointed } = pagesOf(db);
    assert.equal(checkpointed, log);
  }));

it('releases waiting writes when it is closed', () =>
  withCheckpointer(1, async (checkpointer) => {
    const { isOver } = await startOfLastPass(checkpointer);
    await checkpointer.close();
    await isOver;
  }));

it('continues after a failed checkpoint, as on a full disk', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'rapsheet-checkpoint-'));
  const file = join(folder, 'rapsheet.db');
  const db = openDatabase(file);
  // A dangling link, which it cannot open.
  const link = join(folder, 'link.db');
  symlinkSync(join(folder, 'nowhere', 'rapsheet.db'), link);
  const checkpointer = new Checkpointer(db, link, { intervalMs: 1 });
  const isCheckpointed = () => {
    const { log, checkpointed } = pagesOf(db);
    // A log that was restarted has no pages.
    return log > 0 && log === checkpointed;
  };

  // Long enough for the thread to start and to fail.
  for (let round = 0; round < 30; round += 1) {
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
