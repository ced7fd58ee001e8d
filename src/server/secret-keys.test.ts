import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { openMemoryStoreAndQueue } from '../../test/empty-store.ts';
import { serializers } from '../http/responses/present.ts';
import { createLog } from '../observability/log.ts';
import { createSealer } from '../outgoing/sealed-secrets.ts';
import { explainUnreadable, warnAboutSecrets } from './secret-keys.ts';

const KEY = Buffer.alloc(32, 1);
const POSTGRES = { kind: 'postgres', url: 'postgres://db.example/rapsheet' } as const;
const SQLITE = { kind: 'sqlite', file: '/data/rapsheet.db' } as const;
const ONE = { webhooks: [{ service: 'ply', id: 'w1' }], hasMore: false };

describe('the warning about the secret key', () => {
  /** Starts one after the other on one store; the warnings of each. */
  async function warningsOf(
    test: TestContext,
    database: typeof POSTGRES | typeof SQLITE,
    keys: readonly Uint8Array[],
  ) {
    const { store } = openMemoryStoreAndQueue(serializers);
    test.after(() => store.close());
    const lines: string[] = [];
    const log = createLog('info', { write: (line) => void lines.push(line) });
    const counts: number[] = [];
    for (const secretKey of keys) {
      const config = { secretKey, database, dataDir: '/data' };
      await warnAboutSecrets(config, { store }, { sealer: createSealer(secretKey), log });
      counts.push(lines.length);
    }
    return { lines, counts };
  }

  it('comes from the second node with another key, before there is a webhook', async (test) => {
    const other = Buffer.alloc(32, 2);
    const { lines, counts } = await warningsOf(test, POSTGRES, [KEY, KEY, other, other]);
    assert.deepEqual(counts, [0, 0, 1, 1]);
    assert.match(lines[0] ?? '', /all nodes need the same RAPSHEET_SECRET_KEY/);
  });

  it('does not come from SQLite without webhooks: the new key changes nothing', async (test) => {
    const { counts } = await warningsOf(test, SQLITE, [KEY, Buffer.alloc(32, 2)]);
    assert.deepEqual(counts, [0, 0]);
  });

  it('says where the key belongs, and which command rotates', () => {
    const settings = { dataDir: '/data', database: SQLITE };
    const [file, rotate] = explainUnreadable({ ...settings, secretKey: undefined }, ONE);
    assert.match(file ?? '', /of 1 webhook, .* former data folder back as \/data\/secret-key and/);
    assert.equal(rotate, 'rapsheet webhook rotate ply w1');
    const [setting] = explainUnreadable({ ...settings, secretKey: KEY }, ONE);
    assert.match(setting ?? '', /Set RAPSHEET_SECRET_KEY to the former key/);
    const nodes = { dataDir: '/data', database: POSTGRES, secretKey: undefined };
    assert.match(explainUnreadable(nodes, ONE)[0] ?? '', /the same RAPSHEET_SECRET_KEY on all/);
    assert.deepEqual(explainUnreadable(nodes, { webhooks: [], hasMore: false }), []);
    const many = { webhooks: Array.from({ length: 10 }, () => ONE.webhooks).flat(), hasMore: true };
    assert.match(explainUnreadable(nodes, many)[0] ?? '', /of more than 10 webhooks/);
  });
});
