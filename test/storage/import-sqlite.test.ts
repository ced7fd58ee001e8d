import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SqliteRunner } from '../../src/storage/sqlite/runner.ts';
import { createStore } from '../../src/storage/stores/store.ts';
import { openMemoryDatabase, openMemoryStore } from '../empty-store.ts';
import { FeedRig } from './contracts/feed-rig.ts';
import { importContract } from './contracts/import-contract.ts';
import { NOW, newSample, testForms } from './contracts/store-contract.ts';

importContract('in-memory sqlite', async () => openMemoryStore(testForms));

describe('names in feeds, after an import', () => {
  it('are kept for the search as long as a report has them, as its name or as a tag', async () => {
    const db = openMemoryDatabase();
    const store = createStore(new SqliteRunner(db), testForms);
    const rig = await FeedRig.in(store);
    const feed = await rig.service();
    const files = Array.from({ length: 3 }, () => newSample());
    const [first, second, third] = files.map(({ sha256 }) => sha256);
    await store.samples.putAll(
      files.map((file) => ({ ...file, configs: { EMBER: {} } })),
      NOW,
    );
    // Three names: one is also a tag, one is the name of another report, and one is not used
    // elsewhere.
    await rig.create(feed, { sha256: first ?? '', tags: ['EMBER'] });
    const other = await rig.service();
    await rig.create(other, { sha256: second ?? '' });
    await rig.create(other, { sha256: third ?? '' });
    const names = () =>
      db
        .prepare(
          'select service.slug, text from search_term join service on service.id = service_id',
        )
        .all()
        .map((row) => `${row['slug'] === feed ? 'first' : 'other'} ${row['text']}`)
        .sort();
    assert.deepEqual(names(), ['first EMBER', 'other EMBER', 'other tag']);
    const renamed = files.map((file) => ({ ...file, fileName: 'b.exe' }));
    await store.samples.putAll(renamed.slice(0, 2), NOW);
    const both = ['first EMBER', 'first LANTERN', 'other EMBER', 'other LANTERN', 'other tag'];
    assert.deepEqual(names(), both);
    await store.samples.putAll(renamed, NOW);
    assert.deepEqual(
      names(),
      both.filter((name) => name !== 'other EMBER'),
    );
    assert.equal(db.prepare('select 1 from term_text_docsize').all().length, both.length - 1);
    await store.close();
  });
});
