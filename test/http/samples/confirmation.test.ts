import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { openRig, type WireExtended } from '../http-rig.ts';

const rig = await openRig({ exports: {} });
after(() => rig.close());

const researcher = await rig.researcher();
const NAMED = 'c2.lantern.example:4444';

async function ask(url: string) {
  const answer = await rig.ask('GET', url, { token: researcher.token });
  assert.equal(answer.status, 200, answer.text);
  return answer;
}

const listed = async (service: string, query = '') =>
  (await ask(`/feed/${service}/reports${query}`)).json['reports'] as readonly WireExtended[];

/** A feed with two reports of a file, and a report that belongs to another service. */
async function feed() {
  const owner = await rig.service({ hosts: [`*.${rig.fresh('owner')}.example`] });
  const [pattern = ''] = (await rig.deps.store.services.list()).find(({ slug }) => slug === owner)
    ?.hosts ?? [''];
  const service = await rig.service();
  const file256Hash = await rig.uploaded(rig.fresh('settings'));
  const create = (c2Address: string, members = {}) =>
    rig.report(service, researcher.token, { c2Address, file256Hash, ...members });
  const ids = [
    await create(NAMED),
    await create('other.example:4444'),
    await rig.report(service, researcher.token, { c2Address: `${pattern.replace('*', 'a')}:1` }),
  ] as const;
  return { service, owner, file256Hash, ids };
}

describe('the confirmation in a feed', () => {
  it('reaches those who follow the changes, when the analysis arrives and when it is removed', async () => {
    const { service, file256Hash, ids } = await feed();
    const changesAfter = async (since: number) =>
      (await ask(`/feed/${service}/changes?since=${since}`)).json['changes'] as readonly {
        readonly id: string;
        readonly type: string;
        readonly report: WireExtended;
      }[];
    await rig.finish(file256Hash, { configs: { LANTERN: {} } });
    const found = await changesAfter(3);
    assert.deepEqual(
      found.map(({ type, id, report }) => [type, id, report.confirmation]),
      [
        ['updated', ids[0], 'confirmed'],
        ['updated', ids[1], 'contradicted'],
      ],
    );
    const purged = await rig.ask('DELETE', `/admin/samples/${file256Hash}?reason=x`, {
      token: rig.admin,
    });
    assert.equal(purged.status, 200, purged.text);
    assert.deepEqual(
      (await changesAfter(5)).map(({ id, report }) => [id, report.confirmation]),
      [
        [ids[0], 'unknown'],
        [ids[1], 'unknown'],
      ],
    );
  });

  it('and the route are filters of lists, counts, exports and the desk', async () => {
    const { service, owner, file256Hash, ids } = await feed();
    await rig.finish(file256Hash, { configs: { LANTERN: {} } });
    for (const [query, expected] of [
      ['confirmation=confirmed', [ids[0]]],
      ['confirmation=contradicted', [ids[1]]],
      ['confirmation=unknown', [ids[2]]],
      ['misrouted=true', [ids[2]]],
      ['misrouted=false', [ids[1], ids[0]]],
      ['misrouted=false&confirmation=unknown', []],
    ] as const) {
      const found = await ask(`/feed/${service}/reports?count=true&${query}`);
      const reports = found.json['reports'] as readonly WireExtended[];
      assert.deepEqual(
        reports.map(({ id }) => id),
        expected,
        query,
      );
      assert.equal(found.json['total'], expected.length, query);
      const { text } = await ask(`/feed/${service}/export/ndjson?${query}`);
      for (const id of ids)
        assert.equal(text.includes(id), (expected as readonly string[]).includes(id), query);
    }
    const [misrouted] = await listed(service, '?misrouted=true');
    assert.equal(misrouted?.routedTo, owner);
    const desk = await rig.owner(service);
    const { json } = await rig.ask('PATCH', `/feed/${service}/reports`, {
      token: desk.token,
      body: { filter: { confirmation: 'confirmed', misrouted: false }, status: 'acknowledged' },
    });
    assert.equal(json['changed'], 1, JSON.stringify(json));
    assert.deepEqual(
      (await listed(service, '?status=acknowledged')).map(({ id }) => id),
      [ids[0]],
    );
  });
});
