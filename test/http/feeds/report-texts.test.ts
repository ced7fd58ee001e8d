import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { sha256Of } from '../../builders.ts';
import { openRig } from '../http-rig.ts';

const rig = await openRig();
after(() => rig.close());

const reporter = await rig.researcher();
const other = await rig.researcher();

async function read(path: string, token: string): Promise<string> {
  const { status, text } = await rig.ask('GET', path, { token });
  assert.equal(status, 200, text);
  return text;
}

/** Every page of a list or log, with pages of that length, as one text. */
async function itemsOf(path: string, list: string, limit: number, token: string): Promise<string> {
  const items: string[] = [];
  for (let next = ''; ; ) {
    const text = await read(`${path}limit=${limit}${next}`, token);
    items.push(text.slice(text.indexOf('[') + 1, text.lastIndexOf(']')));
    const { hasMore, nextCursor, next: since, [list]: found } = JSON.parse(text);
    assert.ok(found.length <= limit);
    if (!hasMore) return items.filter((item) => item !== '').join();
    next = nextCursor ? `&cursor=${nextCursor}` : `&since=${since}`;
  }
}

/** Pages above 100 are composed from the columns, shorter ones in the database. */
async function checkPages(service: string, token: string): Promise<void> {
  const lists = [
    `/feed/${service}/reports?`,
    `/feed/${service}/reports?order=asc&`,
    `/feed/${service}/reports?created_after=2000-01-01T00:00:00Z&`,
    `/feed/${service}/reports?created_before=2100-01-01T00:00:00Z&order=asc&`,
    `/feed/${service}/reports?tag=rat&`,
    `/feed/all/reports?tag=${service}&`,
  ];
  for (const path of lists) {
    const composed = await itemsOf(path, 'reports', 1000, token);
    assert.notEqual(composed, '');
    for (const limit of [100, 2])
      assert.equal(await itemsOf(path, 'reports', limit, token), composed, path);
  }
  const log = `/feed/${service}/changes?`;
  const changes = await itemsOf(log, 'changes', 1000, token);
  for (const limit of [100, 2])
    assert.equal(await itemsOf(log, 'changes', limit, token), changes, log);
  for (const { id, report } of JSON.parse(`[${changes}]`))
    if (report !== undefined) assert.equal(report.id, id);
}

describe('a page of reports', () => {
  it('has the same text whether the reports have changed since their creation or not', async () => {
    const service = await rig.service();
    const owner = await rig.owner(service);
    const file = rig.fresh('file');
    const add = (c2Address: string, members = {}) =>
      rig.report(service, reporter.token, {
        c2Address,
        tags: ['rat', service, '}', '"],"service":"x'],
        ...members,
      });
    const steps: (() => Promise<unknown>)[] = [
      () => add('a.example:1'),
      () => add('b.example:1', { referenceLink: 'https://x.example/ü}"' }),
      () => add('c.example:1', { file256Hash: sha256Of(file) }),
      () => add('d.example:1'),
      // Renames a report.
      () => rig.analyse(file, { configs: { XWORM: {} } }),
      async () => {
        rig.clock.advance(2 * 3_600_000);
        // Renews the first report.
        await rig.report(service, other.token, {
          c2Address: 'a.example:1',
          tags: ['rat', service],
        });
      },
    ];
    for (const step of steps) {
      await step();
      await checkPages(service, owner.token);
    }
    const ids = (JSON.parse(await read(`/feed/${service}/reports`, owner.token)).reports as []).map(
      ({ id }) => id as string,
    );
    await rig.answer(service, ids[1] ?? '', owner.token, { status: 'acknowledged', note: '"}' });
    await rig.ask('DELETE', `/feed/${service}/api?report=${ids[2]}`, { token: reporter.token });
    for (const { token } of [reporter, other, owner]) await checkPages(service, token);
    // A single report also has what confirms it.
    const { evidence, c2Rejected, ...shown } = JSON.parse(
      await read(`/feed/${service}/reports/${ids[1]}`, owner.token),
    ).report;
    assert.equal(evidence, null);
    assert.equal(c2Rejected, false);
    const listed = JSON.parse(await read(`/feed/${service}/reports`, owner.token)).reports;
    assert.equal(shown.statusBy, owner.name);
    assert.deepEqual(listed[1], shown);
  });
});
