import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { sha256Of } from '../../builders.ts';
import { openRig } from '../http-rig.ts';

const rig = await openRig();
after(() => rig.close());

async function nameOf(file: string, members: Record<string, unknown> = {}): Promise<string> {
  const service = await rig.service();
  const { token } = await rig.researcher();
  const id = await rig.report(service, token, { file256Hash: sha256Of(file), ...members });
  return (await rig.fetched(service, id)).name;
}

describe('the name of a report', () => {
  it('is the first family in the configs of our analysis', async () => {
    const file = rig.fresh('file');
    await rig.analyse(file, {
      configs: { XWORM: {}, ASYNCRAT: {} },
      tags: [{ heat: 10, name: 'OTHER' }],
    });
    assert.equal(await nameOf(file, { tags: ['mine'] }), 'XWORM');
  });

  it('is the tag with the highest heat of 9 or more if there are no configs', async () => {
    const file = rig.fresh('file');
    await rig.analyse(file, {
      configs: {},
      tags: [
        { heat: 9, name: 'NINE' },
        { heat: 10, name: 'TEN' },
        { heat: 10, name: 'LATER' },
        { heat: 1, name: 'RAT' },
      ],
    });
    assert.equal(await nameOf(file, { tags: ['mine'] }), 'TEN');
  });

  it('is the first tag of the report if the analysis names no family', async () => {
    const file = rig.fresh('file');
    await rig.analyse(file, { configs: {}, tags: [{ heat: 8, name: 'PACKED' }] });
    assert.equal(await nameOf(file, { tags: ['mine', 'other'] }), 'mine');
  });

  it('is the first tag of the report if there is no analysis', async () => {
    assert.equal(await nameOf(rig.fresh('file'), { tags: ['mine', 'other'] }), 'mine');
  });

  it('is "unknown" if there is neither', async () => {
    assert.equal(await nameOf(rig.fresh('file')), 'unknown');
  });

  it('is not taken from a file whose BLAKE3 is the hash of the report', async () => {
    const { blake3Hash } = await rig.analyse(rig.fresh('file'));
    const service = await rig.service();
    const { token } = await rig.researcher();
    const id = await rig.report(service, token, { file256Hash: blake3Hash });
    assert.equal((await rig.fetched(service, id)).name, 'unknown');
  });
});

describe('an analysis that arrives after the report', () => {
  async function reported(tags: readonly string[] = ['mine']) {
    const file = rig.fresh('file');
    const service = await rig.service();
    const { token } = await rig.researcher();
    const id = await rig.report(service, token, { file256Hash: sha256Of(file), tags });
    return { file, service, id };
  }

  it('renames the report, and changes none of its other fields', async () => {
    const { file, service, id } = await reported();
    const before = await rig.fetched(service, id);
    await rig.analyse(file);
    assert.deepEqual(await rig.fetched(service, id), { ...before, name: 'LANTERN' });
  });

  it('is one change of the feed, whose sequence the report gets', async () => {
    const { file, service, id } = await reported();
    const before = await rig.deps.store.reports.find(service, id);
    assert.equal(await rig.changesDuring(service, () => rig.analyse(file)), 1);
    const after = await rig.deps.store.reports.find(service, id);
    // The probe before the import used the sequence in between.
    assert.equal(after?.sequence, (before?.sequence ?? Number.NaN) + 2);
  });

  it('renames the reports of that file in all feeds', async () => {
    const { file, service, id } = await reported();
    const elsewhere = await rig.service();
    const { token } = await rig.researcher();
    const other = await rig.report(elsewhere, token, { file256Hash: sha256Of(file) });
    await rig.analyse(file);
    assert.equal((await rig.fetched(service, id)).name, 'LANTERN');
    assert.equal((await rig.fetched(elsewhere, other)).name, 'LANTERN');
  });

  it('is no change if the name stays the same', async () => {
    const { file, service } = await reported(['LANTERN']);
    assert.equal(await rig.changesDuring(service, () => rig.analyse(file)), 0);
  });

  it('renames the report again when it is replaced by another analysis', async () => {
    const { file, service, id } = await reported();
    await rig.analyse(file);
    await rig.analyse(file, { configs: { XWORM: {} } });
    assert.equal((await rig.fetched(service, id)).name, 'XWORM');
    await rig.analyse(file, { configs: {}, tags: [] });
    assert.equal((await rig.fetched(service, id)).name, 'mine');
  });

  it('does not affect a deleted report', async () => {
    const { file, service, id } = await reported();
    await rig.ask('DELETE', `/admin/reports/${id}?reason=test`, { token: rig.admin });
    assert.equal(await rig.changesDuring(service, () => rig.analyse(file)), 0);
    assert.equal((await rig.get(service, id)).status, 404);
  });
});
