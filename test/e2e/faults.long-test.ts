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

/** Short runs; `npm run torture` injects the same faults for longer. */

const programs = serverPrograms ?? '';
const noPostgres =
  (serverPrograms === undefined && 'embedded PostgreSQL does not support this platform') ||
  (!canRun && 'PostgreSQL does not run as root, and the user postgres does not exist');
const noDisk = whyNoSmallDisk();
const noProc = !hasProc && 'needs /proc to measure processes';

it('keeps its promises on SQLite while the disk is full, and afterwards', {
  skip: noDisk,
}, async () => {
  const { broken, refused } = await diskFull({ folder: 'data', fullMs: 1000 });
  assert.deepEqual(broken, []);
  assert.ok(refused.create > 0 && refused.lookup > 0, 'calls were refused');
});

it('refuses only uploads while the disk of the samples is full', { skip: noDisk }, async () => {
  const { broken, refused } = await diskFull({ folder: 'samples', fullMs: 1000 });
  assert.deepEqual(broken, []);
  assert.ok(refused.upload > 0, 'calls were refused');
});

it('keeps its promises while the disk of PostgreSQL is full, and afterwards', {
  skip: noPostgres || noDisk,
}, async () => {
  const { broken, refused } = await postgresFull({ programs, forMs: 1000 });
  assert.deepEqual(broken, []);
  assert.ok(refused.create > 0, 'calls were refused');
});

it('serves no lookup without spending a unit while SQLite is read-only', {
  skip: whyNoReadOnly(),
}, async () => {
  const { broken, refused } = await readOnly({ forMs: 1000 });
  assert.deepEqual(broken, []);
  assert.ok(refused.lookup > 0, 'lookups were refused');
});

it('serves no lookup without spending a unit while PostgreSQL is read-only', {
  skip: noPostgres,
}, async () => {
  const { broken, refused } = await postgresReadOnly({ programs, forMs: 1000 });
  assert.deepEqual(broken, []);
  assert.ok(refused.lookup > 0, 'lookups were refused');
});

it('gives no wrong answer while another process locks SQLite', { skip: noProc }, async () => {
  const { broken, slowestMs } = await slowSqlite([3000, 3000]);
  assert.deepEqual(broken, []);
  assert.ok(slowestMs > 2000, 'responses were slow');
});

it('gives no wrong answer while PostgreSQL is slow', {
  skip: noPostgres || noProc,
}, async () => {
  const slowness = { minMs: 50, maxMs: 300, stallShare: 0.02, stallMs: 3000 };
  const { broken, slowestMs } = await slowPostgres({ programs, slowness, forMs: 8000 });
  assert.deepEqual(broken, []);
  assert.ok(slowestMs > 300, 'responses were slow');
});

it('fails samples that crash every analysis, and analyses the others', {
  skip: whyNoCrashes,
}, async () => {
  const { broken, kills } = await crashLoop({ deadly: 2, harmless: 6 });
  assert.deepEqual(broken, []);
  assert.equal(kills, 6);
});

it('serves other clients while some are slow or stalled', { skip: noProc }, async () => {
  const { broken, reports, reads } = await badClients({ clients: 100, forMs: 4000 });
  assert.deepEqual(broken, []);
  assert.ok(reports > 0 && reads > 0);
});
