import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import type { Store } from '../../src/ports/store.ts';
import { openSqliteStore } from '../../src/storage/sqlite/open.ts';
import { openMemoryStore } from '../empty-store.ts';
import { newDatabase, type TestDatabase } from '../postgres.ts';
import { FeedRig, later } from './contracts/feed-rig.ts';
import { rejectionsContract } from './contracts/rejections-contract.ts';
import { testForms } from './contracts/store-contract.ts';
import { fillPostgresBefore, fillSqliteBefore, openUpgraded } from './upgrade.ts';

const folder = mkdtempSync(join(tmpdir(), 'rapsheet-rejections-'));
const databases: TestDatabase[] = [];
after(async () => {
  rmSync(folder, { recursive: true });
  for (const database of databases) await database.drop();
});

async function emptyDatabase(): Promise<TestDatabase> {
  const database = await newDatabase();
  databases.push(database);
  return database;
}

rejectionsContract('in-memory sqlite', async () => openMemoryStore(testForms));
rejectionsContract('postgres', async () => openUpgraded(await emptyDatabase()));

const OLD_AT = '2026-01-01T00:00:00.000Z';
/** By number: the port, the status and the reason. Two reports of each C2. */
const OLD_REPORTS = [
  [1, 'rejected', "'false_positive'"],
  [1, 'open', 'null'],
  [2, 'rejected', "'false_positive'"],
  [2, 'acknowledged', 'null'],
  [3, 'rejected', "'duplicate'"],
  [3, 'open', 'null'],
] as const;

const OLD_ROWS = [
  `insert into service (slug, name, confidence_scale, hosts, networks, last_sequence, last_added, created_at)
    values ('old', 'old', 100, '[]', '[]', 6, 6, '${OLD_AT}')`,
  `insert into account (id, name, roles, quota_period, created_at) values ('a', 'a', '[]', 'day', '${OLD_AT}')`,
  ...OLD_REPORTS.map(
    ([port, status, reason], index) =>
      `insert into report (number, id, service_id, created_sequence, sequence, name, tags, host, port,
      sha256, reporter_id, reported_by, reported_at, first_seen_id, reference, confidence, status, status_reason,
      updated_at, expires_at, corroboration, sightings, recurrence, body, added_at)
    values (${index + 1}, 'r${index + 1}', 1, ${index + 1}, ${index + 1}, 'n', '[]', 'h.example', ${port}, '', 'a', 'a',
      '${OLD_AT}', 'r1', '', 1, '${status}', ${reason}, '${OLD_AT}', '2036-01-01T00:00:00.000Z', 0, 1, 0, '{}', ${index + 1})`,
  ),
];

/** The desk has said since that the second C2 is one; of the third it said nothing. */
async function checkUpgraded(store: Store): Promise<void> {
  const isRejected = async (port: number) =>
    await store.reports.isC2Rejected('old', { host: 'h.example', port });
  assert.deepEqual(
    [await isRejected(1), await isRejected(2), await isRejected(3)],
    [true, false, false],
  );
  while ((await store.feeds.changeRejectedReports(later(0), 10)) > 0);
  const version = (await store.published.find('old', 'r2')) ?? assert.fail();
  assert.ok('report' in version);
  const { sequence, createdSequence, rejectionSequence = 0 } = version.report;
  assert.equal(sequence, 7, 'readers fetch it again');
  assert.ok(createdSequence < rejectionSequence, 'it was an indicator');
  const rig = await FeedRig.in(store);
  const report = rig.report('old', { c2: { host: 'h.example', port: 1 } });
  assert.deepEqual(await store.reports.create(report), {
    kind: 'created',
    id: report.id,
    isC2Rejected: true,
  });
  const added = (await store.published.find('old', report.id)) ?? assert.fail();
  assert.ok('report' in added && added.report.createdSequence >= rejectionSequence);
}

describe('C2s that were rejected before rejections were recorded', () => {
  it('are rejected unless the desk said otherwise, on SQLite', async () => {
    const file = join(folder, 'old.db');
    fillSqliteBefore('0042', file, [...OLD_ROWS, 'update installation set last_report = 6']);
    const store = openSqliteStore(file, testForms);
    await checkUpgraded(store);
    await store.close();
  });

  it('are rejected unless the desk said otherwise, on PostgreSQL', async () => {
    const database = await emptyDatabase();
    await fillPostgresBefore('0042', database, [...OLD_ROWS, "select setval('report_number', 6)"]);
    const store = await openUpgraded(database);
    await checkUpgraded(store);
    await store.close();
  });
});
