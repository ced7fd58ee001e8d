import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { openSqliteStore } from '../../src/storage/sqlite/open.ts';
import { type ChecksRig, checksContract } from './contracts/checks-contract.ts';
import { testForms } from './contracts/store-contract.ts';
import { fillStore } from './filled.ts';

async function open(): Promise<ChecksRig> {
  const folder = mkdtempSync(join(tmpdir(), 'rapsheet-checks-'));
  const whole = join(folder, 'whole.db');
  const store = openSqliteStore(whole, testForms);
  const filled = await fillStore(store);
  await store.close();
  let copies = 0;
  return {
    filled,
    async copy() {
      copies += 1;
      const file = join(folder, `${copies}.db`);
      cpSync(whole, file);
      const copy = openSqliteStore(file, testForms);
      return {
        store: copy,
        async run(sql) {
          const db = new DatabaseSync(file, { enableForeignKeyConstraints: false });
          db.exec('pragma ignore_check_constraints = on');
          db.exec(sql);
          db.close();
        },
        close: () => copy.close(),
      };
    },
    async close() {
      rmSync(folder, { recursive: true });
    },
  };
}

checksContract('sqlite', open, { loseJobs: 'delete from job' });
