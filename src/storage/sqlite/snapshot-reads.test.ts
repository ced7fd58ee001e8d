import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { Admission } from '../admission.ts';
import type { UnitOfWork } from '../units/unit-of-work.ts';
import { Connection } from './connection.ts';
import { openDatabase, openForReads } from './open.ts';
import { Slices } from './slices.ts';
import { SnapshotReads } from './snapshot-reads.ts';

class StuckConnection extends Connection {
  override rollback(): void {
    throw new Error('disk I/O error');
  }
}

it('closes a connection that cannot end its transaction, and reads with a new one', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'rapsheet-snapshot-'));
  const file = join(folder, 'rapsheet.db');
  openDatabase(file).close();
  const opened: Connection[] = [];
  const open = () => {
    const connection = new StuckConnection(openForReads(file), new Admission());
    opened.push(connection);
    return connection;
  };
  const reads = new SnapshotReads(open, new Slices(), () => false);
  const read = (number: number) =>
    new Promise((resolve, reject) => {
      // biome-ignore lint/correctness/useYield: a unit without statements.
      const work = function* (): UnitOfWork<number> {
        return number;
      };
      reads.add({ work, resolve, reject });
    });
  // More reads than connections are allowed.
  for (const number of [1, 2, 3, 4, 5]) assert.equal(await read(number), number);
  await reads.close();
  assert.deepEqual(
    opened.map(({ db }) => db.isOpen),
    Array.from({ length: 5 }, () => false),
  );
  rmSync(folder, { recursive: true });
});
