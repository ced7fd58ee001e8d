import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, describe, it } from 'node:test';
import { parseFileHash } from '../../src/domain/samples/file-hash.ts';
import { examineStore } from '../../src/operations/examine-store.ts';
import type { Store } from '../../src/ports/store.ts';
import { openSampleFolder, readSampleFolder } from '../../src/sample-files/folder.ts';
import { makeBackup } from '../../src/storage/backup/make.ts';
import { restoreBackup } from '../../src/storage/backup/restore.ts';
import { openSqliteStore } from '../../src/storage/sqlite/open.ts';
import { rowIdRange } from '../../src/storage/tables/samples/sample-rows.ts';
import { newDatabase, type TestDatabase } from '../postgres.ts';
import { hex, NOW, newSample, testForms } from './contracts/store-contract.ts';
import { fillPostgresBefore, fillSqliteBefore, openUpgraded } from './upgrade.ts';

const folder = mkdtempSync(join(tmpdir(), 'rapsheet-renamed-'));
const databases: TestDatabase[] = [];
after(async () => {
  rmSync(folder, { recursive: true });
  for (const database of databases) await database.drop();
});

const RENAMING = '0019';
const AT = NOW.toISOString();
const analysed = newSample({ fileName: 'old.exe' });
const content = Buffer.from('a file whose analysis failed');
const failed = createHash('sha256').update(content).digest('hex');
const files = { has: async () => true, read: async () => undefined };

const onSqlite = (text: string) => `x'${text}'`;
const onPostgres = (text: string) => `'\\x${text}'`;

/** Uploads in `sample` and hashes in `digest`, with a row in each table that points at them. */
function rowsBefore(bytes: (hex: string) => string): readonly string[] {
  const { sha256, blake3, sha512, md5, sha1 } = analysed;
  const ids = [sha256, blake3, sha512].map((hash) => rowIdRange(hash).from);
  const body = testForms.analysis(analysed);
  const upload = (hash: string, others: readonly string[], state: string, reason: string) =>
    `insert into sample values (${[hash, ...others].map(bytes).join()}, 7, 'old.exe', 'a', '${AT}', '${state}', ${reason}, '${AT}')`;
  return [
    `insert into account (id, name, roles, quota_period, created_at) values ('a', 'alice', '[]', 'none', '${AT}')`,
    "insert into account_usage values ('a', 14)",
    upload(sha256, [blake3, sha512, md5, sha1], 'done', 'null'),
    upload(failed, [hex(32), hex(64), hex(16), hex(20)], 'failed', "'too large'"),
    `insert into digest values (${ids[0]}, ${bytes(sha256)}, 1, ${ids[0]}, ${ids[1]}, ${ids[2]}, 'LANTERN', '${AT}', '${body}')`,
    `insert into digest (id, value, kind, sample_id) values (${ids[1]}, ${bytes(blake3)}, 2, ${ids[0]})`,
    `insert into digest (id, value, kind, sample_id) values (${ids[2]}, ${bytes(sha512)}, 3, ${ids[0]})`,
    `insert into sample_detail values (${ids[0]}, '{}')`,
    `insert into sample_c2 (reversed, port, sample_id, leads) values ('example.evil', 443, ${ids[0]}, 1)`,
    `insert into fuzzy_hash values (1, ${ids[0]}, '', 'old.exe', '[]', 0)`,
    "insert into sample_text (rowid, words) values (1, 'old')",
  ];
}

async function checkUpgraded(store: Store): Promise<void> {
  const hashOf = (text: string) => parseFileHash(text) ?? assert.fail();
  for (const text of [analysed.sha256, analysed.blake3, analysed.sha512]) {
    const { body } = await store.samples.lookUp({ accountId: 'a', hash: hashOf(text), now: NOW });
    assert.equal(body, testForms.analysis(analysed));
  }
  assert.equal((await store.samples.find(hashOf(analysed.blake3)))?.fileName, 'old.exe');
  assert.equal((await store.samples.find(hashOf(failed)))?.reason, 'too large');
  assert.equal(await store.samples.storedBytes('a'), 14);
  const results = await Array.fromAsync(examineStore({ store, files }, { quick: true }));
  assert.deepEqual(
    results.flatMap(({ wrong }) => wrong),
    [],
  );
}

async function* pieces() {
  yield content;
}

/** An upload of an account that is not there. */
const ORPHAN =
  "update upload set uploaded_by = 'nobody' where file_name = 'old.exe' and state = 'failed'";
const COUNTS =
  'select (select count(*) from upload) as uploads, (select count(*) from sample) as samples';

describe('uploads and samples stored before their tables were renamed', () => {
  it('are found under the new names on SQLite, with their references', async () => {
    const file = join(folder, 'old.db');
    fillSqliteBefore(RENAMING, file, rowsBefore(onSqlite));
    const store = openSqliteStore(file, testForms);
    await checkUpgraded(store);
    await store.close();
    const db = new DatabaseSync(file);
    assert.deepEqual({ ...db.prepare(COUNTS).get() }, { uploads: 2, samples: 1 });
    assert.throws(() => db.exec(ORPHAN), /FOREIGN KEY/);
    assert.deepEqual(db.prepare('pragma foreign_key_check').all(), []);
    db.close();
  });

  it('are found under the new names on PostgreSQL, with their references', async () => {
    const database = await newDatabase();
    databases.push(database);
    await fillPostgresBefore(RENAMING, database, rowsBefore(onPostgres));
    const store = await openUpgraded(database);
    await checkUpgraded(store);
    await store.close();
    assert.deepEqual(await database.run(COUNTS), [{ uploads: '2', samples: '1' }]);
    await assert.rejects(database.run(ORPHAN), /upload_uploaded_by_fkey/);
    const indexes = await database.run(
      "select indexname from pg_indexes where tablename in ('upload', 'sample') order by indexname",
    );
    assert.deepEqual(
      indexes.map(({ indexname }) => indexname),
      [
        'sample_pkey',
        'upload_blake3',
        'upload_done',
        'upload_failed',
        'upload_md5',
        'upload_pkey',
        'upload_reanalysis',
        'upload_running',
        'upload_sha1',
        'upload_sha512',
        'upload_unfinished',
      ],
    );
  });

  it('are in a backup that is made before the upgrade, which can be restored', async () => {
    const source = join(folder, 'source.db');
    fillSqliteBefore(RENAMING, source, rowsBefore(onSqlite));
    const progress = () => undefined;
    const target = join(folder, 'backup');
    const made = await makeBackup({
      databaseFile: source,
      files: { read: async (sha256) => (sha256 === failed ? pieces() : undefined) },
      openFolder: openSampleFolder,
      target,
      madeAt: NOW,
      copyingPages: progress,
      copyingSamples: progress,
    });
    assert.deepEqual(made.missing, [analysed.sha256]);
    assert.equal(
      readFileSync(join(target, 'samples.txt'), 'utf8'),
      `${failed} ${content.length}\n`,
    );
    const databaseFile = join(folder, 'restored', 'rapsheet.db');
    await restoreBackup({
      source: target,
      dataDir: join(folder, 'restored'),
      databaseFile,
      samplesFolder: undefined,
      readFolder: readSampleFolder,
      makeFolders: () => mkdirSync(join(folder, 'restored')),
      openFiles: () => openSampleFolder(join(folder, 'restored', 'samples')),
      checking: progress,
      copying: progress,
    });
    const store = openSqliteStore(databaseFile, testForms);
    await checkUpgraded(store);
    await store.close();
  });
});
