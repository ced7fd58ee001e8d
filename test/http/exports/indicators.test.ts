import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { indicatedBy, indicatedByAll, type Reader } from '../../indicated-by.ts';
import { untilPublished } from '../../until-published.ts';
import { openRig, type Rig } from '../http-rig.ts';
import { TAXII } from '../taxii/taxii-reader.ts';

/** What readers of all formats block: no protected host, and no C2 that its desk has rejected. */

let rig: Rig;
let token: string;

before(async () => {
  rig = await openRig({ exports: { allowList: ['good.example', '9.9.9.0/24'] } });
  ({ token } = await rig.researcher());
});
after(() => rig.close());

/** More than the changes of a test: each is published at a millisecond of its own. */
const AHEAD_MS = 1000;

const read = async (path: string, body?: unknown) => {
  rig.clock.advance(AHEAD_MS);
  await untilPublished(rig.deps.store, undefined);
  const answer = await rig.ask(body === undefined ? 'GET' : 'POST', path, {
    token,
    ...(body !== undefined && { body }),
    ...(path.startsWith('/taxii2') && { headers: { accept: TAXII } }),
  });
  assert.equal(answer.status, 200, `${path}: ${answer.text}`);
  return answer.text;
};

const reader: Reader = { read, now: () => rig.clock.now() };

const split = (c2Address: string) => {
  const colon = c2Address.lastIndexOf(':');
  const host = c2Address.slice(0, colon).replace(/^\[(.*)\]$/, '$1');
  return { host, port: Number(c2Address.slice(colon + 1)) };
};

describe('a protected host', () => {
  it('is an indicator in no format, and data in the others', async () => {
    const service = await rig.service();
    const reported = [
      '127.0.0.1:80',
      '0.0.0.0:443',
      '[::1]:80',
      '10.1.2.3:8080',
      '203.0.113.7:4444',
      'com:80',
      'localhost:80',
      'co.uk:80',
      'github.io:443',
      'good.example:80',
      'www.good.example:80',
      '9.9.9.9:53',
    ];
    for (const c2Address of reported) await rig.report(service, token, { c2Address });
    await rig.report(service, token, { c2Address: 'evil.example:4444' });
    await rig.report(service, token, { c2Address: '45.1.2.3:4444' });
    for (const c2Address of reported) {
      const c2 = split(c2Address);
      assert.deepEqual(await indicatedBy(reader, service, c2), [], c2Address);
      assert.deepEqual(await indicatedByAll(reader, c2), [], c2Address);
    }
    // This test finds what is published.
    for (const [c2Address, formats] of [
      ['evil.example:4444', 16],
      ['45.1.2.3:4444', 16],
    ] as const)
      assert.ok((await indicatedBy(reader, service, split(c2Address))).length >= formats);
    for (const format of ['json', 'ndjson', 'csv', 'xarf'])
      assert.match(await read(`/feed/${service}/export/${format}`), /127\.0\.0\.1/);
  });

  it('has its file as an indicator, and its objects are complete', async () => {
    const service = await rig.service();
    await rig.report(service, token, { c2Address: '127.0.0.1:80' });
    const { objects } = JSON.parse(await read(`/feed/${service}/export/stix`));
    const types = objects.map(({ type }: { type: string }) => type);
    const expected = ['marking-definition', 'identity', 'file', 'indicator', 'relationship'];
    assert.deepEqual(types, expected);
    const ids = new Set(objects.map(({ id }: { id: string }) => id));
    for (const { source_ref, target_ref } of objects)
      for (const reference of [source_ref, target_ref])
        assert.ok(reference === undefined || ids.has(reference), reference);
  });

  it('does not make a page of a TAXII collection short or endless', async () => {
    const service = await rig.service();
    const lines = Array.from({ length: 250 }, (_, index) =>
      JSON.stringify({ c2Address: `127.0.0.1:${index + 1}`, file256Hash: 'ab'.repeat(32) }),
    );
    await rig.ask('POST', `/feed/${service}/reports`, {
      token,
      payload: lines.join('\n'),
      headers: { 'content-type': 'application/x-ndjson' },
    });
    const ids = new Set<string>();
    let next = '';
    for (let pages = 0; pages < 10; pages += 1) {
      const page = JSON.parse(
        await read(`/taxii2/feeds/collections/${service}/objects/?limit=100${next}`),
      );
      assert.ok(pages === 2 || page.objects.length === 100, `${page.objects.length} objects`);
      for (const { id } of page.objects) ids.add(id);
      if (page.next === undefined) break;
      next = `&next=${encodeURIComponent(page.next)}`;
    }
    assert.equal(ids.size, 250 + 2);
  });
});

describe('a C2 that its desk has rejected', () => {
  // Each test has its own: ThreatFox searches all feeds.
  let c2Address: string;
  let c2: ReturnType<typeof split>;
  beforeEach(() => {
    c2Address = `${rig.fresh('customer')}.example:4444`;
    c2 = split(c2Address);
  });

  async function rejected() {
    const service = await rig.service();
    const { token: owner } = await rig.owner(service);
    const id = await rig.report(service, token, { c2Address });
    const open = await rig.report(service, token, { c2Address });
    assert.ok((await indicatedBy(reader, service, c2)).length >= 16);
    const answer = await rig.answer(service, id, owner, {
      status: 'rejected',
      reason: 'false_positive',
    });
    assert.equal(answer.status, 200);
    rig.clock.advance(1000);
    return { service, owner, id, open };
  }

  it('is no indicator of the feed, whoever reports it again', async () => {
    const { service } = await rejected();
    assert.deepEqual(await indicatedBy(reader, service, c2), []);
    const again = await rig.create(service, token, { c2Address });
    assert.equal(again.status, 201);
    assert.equal(again.headers['x-c2-rejected'], 'true');
    const { token: other } = await rig.researcher();
    const byOther = await rig.create(service, other, { c2Address });
    assert.equal(byOther.headers['x-c2-rejected'], 'true');
    assert.deepEqual(await indicatedBy(reader, service, c2), []);
    const free = await rig.create(service, token, { c2Address: `${c2.host}:4445` });
    assert.equal(free.headers['x-c2-rejected'], undefined);
  });

  it('is an indicator of all feeds only if another feed has it', async () => {
    const { service } = await rejected();
    await rig.report(service, token, { c2Address });
    assert.deepEqual(await indicatedByAll(reader, c2), []);
    const elsewhere = await rig.service();
    await rig.report(elsewhere, token, { c2Address });
    assert.ok((await indicatedByAll(reader, c2)).length >= 11);
    assert.ok((await indicatedBy(reader, elsewhere, c2)).length >= 16);
  });

  it('stays rejected when its report is deleted, until the desk says otherwise', async () => {
    const { service, owner, id } = await rejected();
    assert.equal((await rig.remove(service, id, token)).status, 200);
    const again = await rig.report(service, token, { c2Address });
    assert.deepEqual(await indicatedBy(reader, service, c2), []);
    await rig.answer(service, again, owner, { status: 'acknowledged' });
    assert.ok((await indicatedBy(reader, service, c2)).length >= 16);
    const created = await rig.create(service, token, { c2Address });
    assert.equal(created.headers['x-c2-rejected'], undefined);
  });

  it('is withdrawn from TAXII clients that read on, and comes back to them', async () => {
    const service = await rig.service();
    const { token: owner } = await rig.owner(service);
    const id = await rig.report(service, token, { c2Address });
    const open = await rig.report(service, token, { c2Address });
    const path = `/taxii2/feeds/collections/${service}/objects/`;
    let addedAfter = '';
    const readOn = async () => {
      rig.clock.advance(AHEAD_MS);
      await untilPublished(rig.deps.store, undefined);
      const answer = await rig.ask('GET', `${path}${addedAfter}`, {
        token,
        headers: { accept: TAXII },
      });
      const last = String(answer.headers['x-taxii-date-added-last']);
      addedAfter = `?added_after=${encodeURIComponent(last)}`;
      const objects = (answer.json['objects'] ?? []) as {
        pattern?: string;
        valid_until?: string;
      }[];
      return objects.filter(({ pattern }) => pattern?.includes(c2.host));
    };
    assert.equal((await readOn()).length, 2);
    rig.clock.advance(60_000);
    const now = rig.clock.now().toISOString();
    await rig.answer(service, id, owner, { status: 'rejected', reason: 'false_positive' });
    const ended = await readOn();
    assert.equal(ended.length, 2, 'that of the open report too');
    assert.ok(ended.every(({ valid_until = '9' }) => valid_until <= now));
    await rig.report(service, token, { c2Address });
    assert.deepEqual(await readOn(), [], 'a new report has none');
    rig.clock.advance(60_000);
    await rig.answer(service, open, owner, { status: 'acknowledged' });
    const back = (await readOn()).filter(({ valid_until = '' }) => valid_until > now);
    assert.equal(back.length, 2, 'all but the false positive');
  });

  it('raises the timestamps of its MISP events', async () => {
    const service = await rig.service();
    const { token: owner } = await rig.owner(service);
    const id = await rig.report(service, token, { c2Address });
    rig.clock.advance(24 * 3_600_000);
    await rig.report(service, token, { c2Address });
    const stamps = async () =>
      Object.values(
        JSON.parse(await read(`/misp/${service}/manifest.json`)) as Record<
          string,
          { timestamp: string }
        >,
      ).map(({ timestamp }) => Number(timestamp));
    const before = await stamps();
    rig.clock.advance(60_000);
    await rig.answer(service, id, owner, { status: 'rejected', reason: 'false_positive' });
    const after = await stamps();
    assert.equal(after.length, 2);
    assert.ok(after.every((stamp, index) => stamp > (before[index] ?? Infinity)));
  });

  it('is told to reporters in every way to report it', async () => {
    const { service, open } = await rejected();
    const line = JSON.stringify({ c2Address, file256Hash: 'ab'.repeat(32) });
    const batch = await rig.ask('POST', `/feed/${service}/reports`, {
      token,
      payload: line,
      headers: { 'content-type': 'application/x-ndjson' },
    });
    assert.equal(JSON.parse(batch.text).c2Rejected, true);
    const attributes = [
      { type: 'hostname|port', value: `${c2.host}|4444`, to_ids: true },
      { type: 'sha256', value: 'ab'.repeat(32), to_ids: true },
    ];
    const event = await rig.ask('POST', `/feed/${service}/misp`, {
      token,
      body: { Event: { Attribute: attributes } },
    });
    assert.equal(JSON.parse(event.text).c2Rejected, true, event.text);
    const preview = await rig.ask('POST', `/feed/${service}/preview`, {
      token,
      body: JSON.parse(line),
    });
    assert.equal(preview.json['c2Rejected'], true);
    const shown = await rig.ask('GET', `/feed/${service}/reports/${open}`, { token });
    assert.equal((shown.json['report'] as { c2Rejected: boolean }).c2Rejected, true);
    const known = JSON.parse(await read(`/api/c2?c2=${encodeURIComponent(c2Address)}`));
    const feeds = known.reports.feeds as { service: string; c2Rejected?: true }[];
    assert.equal(feeds.find((one) => one.service === service)?.c2Rejected, true);
  });

  it('is told again to a repeated call', async () => {
    const { service } = await rejected();
    const send = () =>
      rig.ask('POST', `/feed/${service}/api`, {
        token,
        body: { c2Address, file256Hash: 'cd'.repeat(32) },
        headers: { 'idempotency-key': '"again"' },
      });
    const [first, second] = [await send(), await send()];
    assert.equal(second.headers['idempotent-replayed'], 'true');
    assert.equal(first.headers['x-c2-rejected'], 'true');
    assert.equal(second.headers['x-c2-rejected'], 'true');
  });

  it('changes the version of exports', async () => {
    const service = await rig.service();
    const { token: owner } = await rig.owner(service);
    const id = await rig.report(service, token, { c2Address });
    const tagOf = async () =>
      (await rig.ask('GET', `/feed/${service}/export/txt`, { token })).headers['etag'];
    const before = await tagOf();
    await rig.answer(service, id, owner, { status: 'rejected', reason: 'false_positive' });
    assert.notEqual(await tagOf(), before);
    assert.match(await read(`/feed/${service}/export/txt`), /left out: 1 \(1 rejected\)/);
    await rig.report(service, token, { c2Address });
    assert.match(await read(`/feed/${service}/export/txt`), /left out: 1 \(1 rejected\)/);
  });
});
