import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { newStoreDatabase, type TestDatabase } from '../postgres.ts';
import { Cluster } from './cluster/cluster.ts';

const TAXII = 'application/taxii+json;version=2.1';
const PATTERN = `[network-traffic:dst_ref.value = 'c2.evil.example' AND network-traffic:dst_port = 4444] AND [file:hashes.'SHA-256' = '${'ab'.repeat(32)}']`;

describe('a TAXII submission to one of two nodes', () => {
  let database: TestDatabase;
  let cluster: Cluster;
  let token = '';
  before(async () => {
    database = await newStoreDatabase();
    cluster = new Cluster(database.url);
    const limit = { RAPSHEET_ACCOUNT_STATUS_BYTES: '600' };
    await cluster.start({ nodes: 2, workers: 0 }, [limit, limit]);
    const admin = cluster.client(0);
    await admin.addService({ slug: 'ply' });
    ({ token } = await admin.addAccount({ name: 'researcher', roles: ['researcher'] }));
  });
  after(async () => {
    await cluster.close();
    await database.drop();
  });

  const call = async (node: number, path: string, body?: string) => {
    const headers = { authorization: token, accept: TAXII, 'content-type': TAXII };
    const init = body === undefined ? { headers } : { method: 'POST', headers, body };
    return await fetch(`${cluster.urls[node]}/taxii2/feeds/${path}`, init);
  };
  const submit = (node: number, number: number) => {
    const id = `indicator--${number}`;
    const object = { id, type: 'indicator', spec_version: '2.1', pattern_type: 'stix' };
    const body = JSON.stringify({ objects: [{ ...object, pattern: PATTERN }] });
    return call(node, 'collections/ply/objects/', body);
  };

  it('has a status at both, and both count its bytes', async () => {
    const answer = await submit(0, 1);
    assert.equal(answer.status, 202);
    const status = (await answer.json()) as { readonly id: string };
    const read = await call(1, `status/${status.id}/`);
    assert.deepEqual([read.status, await read.json()], [200, status]);
    assert.equal((await submit(1, 2)).status, 202);
    for (const node of [0, 1]) {
      const refused = await submit(node, 3);
      assert.equal(refused.status, 429);
      assert.equal(refused.headers.get('x-error-code'), 'status_bytes_exceeded');
    }
  });
});
