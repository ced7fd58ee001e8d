/** Calls five operations with types that openapi-typescript has generated. */
import assert from 'node:assert/strict';
import createClient from 'openapi-fetch';
import type { paths } from './openapi.d.ts';

const EICAR = '275a021bbfb6489e54d471899f7db9d1663fc695ec2fe2a2c4538aabf651fd0f';
const C2 = 'tunnel.ply.example:5003';

const client = createClient<paths>({
  baseUrl: process.env['RAPSHEET_URL'] ?? '',
  headers: { authorization: process.env['RAPSHEET_TOKEN'] },
});
const path = { service: 'ply' };

const me = await client.GET('/api/me');
assert.equal(me.data?.name, 'explorer');
const created = await client.POST('/feed/{service}/api', {
  params: { path },
  body: { c2Address: C2, file256Hash: EICAR, tags: ['eicar'] },
});
const report = created.data?.id ?? '';
const fetched = await client.GET('/feed/{service}/api', { params: { path, query: { report } } });
assert.equal(fetched.data?.report.c2Address, C2);
const analysis = await client.GET('/private/sample/{hash}', { params: { path: { hash: EICAR } } });
assert.equal(analysis.data?.sha256Hash, EICAR);
const deleted = await client.DELETE('/feed/{service}/api', { params: { path, query: { report } } });
assert.equal(deleted.data?.success, true);
const refused = await client.GET('/feed/{service}/api', { params: { path, query: { report } } });
assert.equal(refused.response.status, 404);
assert.equal(refused.error?.successful, false);
console.log('5 operations');
