import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { DatabaseLocation } from '../../src/config/locations.ts';
import type { Service } from '../../src/domain/services/service.ts';
import { serializers } from '../../src/http/responses/present.ts';
import { createLog } from '../../src/observability/log.ts';
import type { Store } from '../../src/ports/store.ts';
import { openExports } from '../../src/server/exports/open-exports.ts';
import { openSqliteDatabase } from '../../src/server/open-sqlite-database.ts';
import { openTestStore } from '../database.ts';

const REQUEST = { format: 'json', scope: undefined, filter: { host: 'a.example' }, options: {} };
function serviceOf(slug: string): Service {
  const createdAt = new Date(0);
  const lists = { hosts: [], networks: [] };
  return { slug, name: slug, confidenceScale: 100, expireAfterDays: 90, createdAt, ...lists };
}

const log = createLog('silent');

async function openAgain(location: DatabaseLocation): Promise<Store> {
  if (location.kind === 'sqlite') return openSqliteDatabase(location.file, serializers).store;
  const { openPostgresDatabase } = await import('../../src/server/open-postgres-database.ts');
  const options = { url: location.url, poolSize: 5, serializers, log };
  return (await openPostgresDatabase(options)).store;
}

/** The tag and the bytes of an export of a node with that store. */
async function exportOf(store: Store, database: DatabaseLocation, dataDir: string) {
  const exports = openExports(
    {
      database,
      dataDir,
      exportsMaxBytes: 2 ** 30,
      allowList: [],
      suricataFirstSid: 90_000_000,
      mail: undefined,
    },
    { feeds: store.feeds, log, baseUrl: () => 'https://feeds.example' },
  );
  try {
    const { tag } = await exports.version(REQUEST);
    const opened = await exports.open(REQUEST, {
      accountId: 'a',
      signal: new AbortController().signal,
    });
    const pieces: Buffer[] = [];
    for await (const piece of opened.bytes()) pieces.push(piece);
    opened.close();
    assert.equal(opened.tag, tag);
    return { tag, text: Buffer.concat(pieces).toString() };
  } finally {
    await exports.close();
  }
}

describe('an export of two nodes, or after a restart', () => {
  it('has the same tag and the same bytes', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'rapsheet-nodes-'));
    const { store, location, end } = await openTestStore(join(folder, 'rapsheet.db'));
    assert.ok(location);
    const audit = { actor: 'test', at: new Date(0) };
    for (const slug of ['one', 'two']) await store.services.add(serviceOf(slug), audit);
    const first = await exportOf(store, location, folder);
    const other = await openAgain(location);
    assert.deepEqual(await exportOf(other, location, folder), first);
    await store.services.change('one', { name: 'Another name' }, audit);
    assert.notEqual((await exportOf(other, location, folder)).tag, first.tag);
    await other.close();
    await end();
    await rm(folder, { recursive: true });
  });
});
