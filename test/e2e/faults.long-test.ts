import assert from 'node:assert/strict';
import { it } from 'node:test';
import { canRun, serverPrograms } from './cluster/own-postgres.ts';
import { badClients } from './faults/bad-clients.ts';
import { crashLoop, whyNoCrashes } from './faults/crash-loop.ts';
import { diskFull } from './faults/disk-full.ts';
import { hasProc } from './faults/footprint.ts';
import { postgresFull } from './faults/postgres-full.ts';
import { postgresReadOnly } from './faults/postgres-read-only.ts';
import { readOnly, whyNoReadOnly } from './faults/read-only.ts';
import { slowPostgres, slowSqlite } from './faults/slow.ts';
import { whyNoSmallDisk } from './faults/small-disk.ts';

/** The short form of what `npm run torture` does for longer. */

const programs = serverPrograms ?? '';
const noPostgres =
  (serverPrograms === undefined && 'PostgreSQL is not there for this platform') ||
  (!canRun && 'PostgreSQL does not run as root, and there is no user postgres');
const noDisk = whyNoSmallDisk();
const noProc = !hasProc && 'there is no /proc to see what a process takes';

it('keeps its promises on SQLite while the disk is full, and after it', {
  skip: noDisk,
}, async () => {
  const { broken, refused } = await diskFull({ folder: 'data', fullMs: 1000 });
  assert.deepEqual(broken, []);
  assert.ok(refused.create > 0 && refused.lookup > 0, 'it was full');
});

it('refuses uploads alone while the disk of the samples is full', { skip: noDisk }, async () => {
  const { broken, refused } = await diskFull({ folder: 'samples', fullMs: 1000 });
  assert.deepEqual(broken, []);
  assert.ok(refused.upload > 0, 'it was full');
});

it('keeps its promises while the disk of PostgreSQL is full, and after it', {
  skip: noPostgres || noDisk,
}, async () => {
  const { broken, refused } = await postgresFull({ programs, forMs: 1000 });
  assert.deepEqual(broken, []);
  assert.ok(refused.create > 0, 'it was full');
});

it('gives no unpaid answer while SQLite is read-only', { skip: whyNoReadOnly() }, async () => {
  const { broken, refused } = await readOnly({ forMs: 1000 });
  assert.deepEqual(broken, []);
  assert.ok(refused.lookup > 0, 'it was read-only');
});

it('gives no unpaid answer while PostgreSQL is read-only', { skip: noPostgres }, async () => {
  const { broken, refused } = await postgresReadOnly({ programs, forMs: 1000 });
  assert.deepEqual(broken, []);
  assert.ok(refused.lookup > 0, 'it was read-only');
});

it('answers rightly or not at all while others lock SQLite', { skip: noProc }, async () => {
  const { broken, slowestMs } = await slowSqlite([3000, 3000]);
  assert.deepEqual(broken, []);
  assert.ok(slowestMs > 2000, 'it was slow');
});

it('answers rightly or not at all while PostgreSQL is slow', {
  skip: noPostgres || noProc,
}, async () => {
  const slowness = { minMs: 50, maxMs: 300, stallShare: 0.02, stallMs: 3000 };
  const { broken, slowestMs } = await slowPostgres({ programs, slowness, forMs: 8000 });
  assert.deepEqual(broken, []);
  assert.ok(slowestMs > 300, 'it was slow');
});

it('sets samples apart that crash every analysis', { skip: whyNoCrashes }, async () => {
  const { broken, kills } = await crashLoop({ deadly: 2, harmless: 6 });
  assert.deepEqual(broken, []);
  assert.equal(kills, 6);
});

it('serves everybody else while some clients are slow or stalled', { skip: noProc }, async () => {
  const { broken, reports, reads } = await badClients({ clients: 100, forMs: 4000 });
  assert.deepEqual(broken, []);
  assert.ok(reports > 0 && reads > 0);
});
