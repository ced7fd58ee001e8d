import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { openRig } from '../http-rig.ts';

const rig = await openRig({ exports: { allowList: ['good.example', '45.9.9.0/24'] } });
after(() => rig.close());

const { token } = await rig.researcher();
const GOOD = [{ list: 'allow list of this server', kind: 'good' }];

const ask = async (url: string) => {
  const answer = await rig.ask('GET', url, { token });
  assert.equal(answer.status, 200, answer.text);
  return answer;
};

describe('the lists that know a host', () => {
  it('are shown with a route, a C2 and a host', async () => {
    const known = async (url: string) => (await ask(url)).json['knownAs'];
    for (const path of ['/api/route?c2=', '/api/c2?c2=', '/api/hosts?host=']) {
      const port = path.includes('hosts') ? '' : ':443';
      assert.deepEqual(await known(`${path}a.good.example${port}`), GOOD, path);
      assert.deepEqual(await known(`${path}45.9.9.9${port}`), GOOD, path);
      assert.deepEqual(await known(`${path}evil.example${port}`), [], path);
    }
  });

  it('label a report on every surface, and never keep it out', async () => {
    const service = await rig.service();
    const created = [
      await rig.report(service, token, { c2Address: 'a.good.example:80' }),
      await rig.report(service, token, { c2Address: 'evil.example:80' }),
    ];
    assert.equal(created.length, 2);
    const expected = { 'a.good.example:80': GOOD, 'evil.example:80': [] };
    type Labelled = { readonly c2Address: string; readonly knownAs: unknown };
    const check = (reports: readonly Labelled[], where: string) =>
      assert.deepEqual(
        Object.fromEntries(reports.map(({ c2Address, knownAs }) => [c2Address, knownAs])),
        expected,
        where,
      );
    const list = (await ask(`/feed/${service}/reports`)).json['reports'] as (Labelled & {
      readonly id: string;
    })[];
    check(list, 'list');
    const changes = (await ask(`/feed/${service}/changes`)).json['changes'] as {
      readonly report: Labelled;
    }[];
    check(
      changes.map(({ report }) => report),
      'changes',
    );
    const shown = await Promise.all(list.map(({ id }) => ask(`/feed/${service}/reports/${id}`)));
    check(
      shown.map(({ json }) => json['report'] as Labelled),
      'report',
    );
    const lines = (await ask(`/feed/${service}/export/ndjson?end=0`)).text.trim().split('\n');
    check(
      lines.map((line) => JSON.parse(line)),
      'ndjson',
    );
  });

  it('are shown before a report is sent', async () => {
    const service = await rig.service();
    const preview = (c2Address: string) =>
      rig.ask('POST', `/feed/${service}/preview`, {
        token,
        body: { c2Address, file256Hash: 'ab'.repeat(32) },
      });
    assert.deepEqual((await preview('good.example:80')).json['knownAs'], GOOD);
    assert.deepEqual((await preview('evil.example:80')).json['knownAs'], []);
    assert.deepEqual((await preview('no address')).json['knownAs'], []);
  });
});
