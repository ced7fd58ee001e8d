import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { RapsheetClient } from '../../src/client/client.ts';

type Operations = Readonly<
  Record<
    string,
    {
      readonly operationId: string;
      readonly requestBody?: { readonly content: object };
      readonly parameters?: readonly { in: string; name: string; required?: boolean }[];
    }
  >
>;

const document = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../docs/openapi.json'), 'utf8'),
) as { readonly paths: Readonly<Record<string, Operations>> };

const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, ...operation })),
);

const report = { c2Address: 'tunnel.ply.example:4444', file256Hash: 'ab'.repeat(32) };

/** How each method is called, with every argument it takes. */
const calls: Readonly<Record<string, (client: RapsheetClient) => Promise<unknown>>> = {
  createReport: (client) => client.createReport('service', report),
  fetchReport: (client) => client.fetchReport('service', 'id'),
  deleteReport: (client) => client.deleteReport('service', 'id'),
  lookUp: (client) => client.lookUp('hash'),
  lookUpMany: (client) => client.lookUpMany(['hash']),
  details: (client) => client.details('hash'),
  sampleStatus: (client) => client.sampleStatus('hash'),
  downloadSample: (client) => client.downloadSample('hash'),
  similar: (client) => client.similar('hash'),
  similarToSsdeep: (client) => client.similarToSsdeep('3::'),
  upload: (client) => client.upload(new Blob(['MZ']), { fileName: 'evil.exe', wait: 5 }),
  balance: (client) => client.balance(),
  listTokens: (client) => client.listTokens(),
  issueToken: (client) => client.issueToken({ label: 'ci' }),
  revokeToken: (client) => client.revokeToken('id'),
  addService: (client) => client.addService({ slug: 'ply' }),
  listServices: (client) => client.listServices(),
  changeService: (client) => client.changeService('slug', { name: 'Ply' }),
  addAccount: (client) => client.addAccount({ name: 'alice' }),
  listAccounts: (client) => client.listAccounts(),
  showAccount: (client) => client.showAccount('id'),
  changeAccount: (client) => client.changeAccount('id', { topUp: 5 }),
  listAccountTokens: (client) => client.listAccountTokens('id'),
  issueAccountToken: (client) => client.issueAccountToken('id', { label: 'ci' }),
  revokeAccountToken: (client) => client.revokeAccountToken('id'),
  importSamples: (client) => client.importSamples('{}\n'),
  purgeReport: (client) => client.purgeReport('id', 'why'),
  purgeSample: (client) => client.purgeSample('sha256', 'why'),
  audit: (client) => client.audit({ limit: 5, before: 9 }),
  livez: (client) => client.livez(),
  readyz: (client) => client.readyz(),
  healthz: (client) => client.healthz(),
};

/** Makes the call against a server that only writes down what came. */
async function record(call: (client: RapsheetClient) => Promise<unknown>): Promise<Request> {
  const seen: Request[] = [];
  const client = new RapsheetClient({
    url: 'http://rapsheet.example',
    token: 'rap_token',
    fetch: async (input, init) => {
      seen.push(new Request(input, init));
      return Response.json({});
    },
  });
  await call(client);
  assert.equal(seen.length, 1);
  return seen[0] as Request;
}

describe('the client and the OpenAPI document', () => {
  it('have the same operations by the same names', () => {
    const methods = Object.getOwnPropertyNames(RapsheetClient.prototype).filter(
      (name) => name !== 'constructor',
    );
    const ids = operations.map(({ operationId }) => operationId);
    assert.deepEqual(methods.sort(), ids.sort());
    assert.deepEqual(Object.keys(calls).sort(), ids.sort());
  });

  for (const { operationId, method, path, requestBody, parameters = [] } of operations) {
    it(`agree on how ${operationId} is called`, async () => {
      const request = await record(calls[operationId] as (typeof calls)[string]);
      const url = new URL(request.url);
      assert.equal(request.method, method.toUpperCase());
      // Each argument above is the name of its place in the address.
      assert.equal(url.pathname, path.replace(/[{}]/g, ''));
      const inQuery = parameters.filter((parameter) => parameter.in === 'query');
      assert.deepEqual(
        [...url.searchParams.keys()],
        inQuery.map(({ name }) => name),
      );
      const type = request.headers.get('content-type')?.replace(/;.*/, '') ?? null;
      assert.equal(type, Object.keys(requestBody?.content ?? {})[0] ?? null);
      for (const parameter of parameters.filter((one) => one.in === 'header'))
        assert.ok(request.headers.get(parameter.name));
      assert.equal(request.headers.get('authorization'), 'Bearer rap_token');
    });
  }
});
