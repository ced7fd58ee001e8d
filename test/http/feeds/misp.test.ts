import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, describe, it } from 'node:test';
import { REPORTS_OF_PART } from '../../../src/domain/reports/day-part.ts';
import { openRig } from '../http-rig.ts';

/** The reads of events by the server itself. */
let eventReads = 0;

const rig = await openRig({
  exports: {},
  between: (store) => ({
    ...store,
    misp: {
      ...store.misp,
      reports: (...page) => {
        eventReads += 1;
        return store.misp.reports(...page);
      },
    },
  }),
});
after(() => rig.close());

const researcher = await rig.researcher();
const { token } = await rig.reader({ limit: 0, period: 'none' });

interface Manifest {
  readonly [uuid: string]: {
    readonly timestamp: string;
    readonly date: string;
    readonly info: string;
    readonly Orgc: { readonly name: string; readonly uuid: string };
  };
}

interface Attribute {
  readonly uuid: string;
  readonly type: string;
  readonly value: string;
  readonly to_ids: boolean;
  readonly deleted: boolean;
  readonly timestamp: string;
  readonly comment: string;
}

const get = (path: string, headers: Readonly<Record<string, string>> = {}) =>
  rig.ask('GET', path, { token, headers });

async function manifestOf(service: string): Promise<Manifest> {
  const { status, json } = await get(`/misp/${service}/manifest.json`);
  assert.equal(status, 200);
  return json as unknown as Manifest;
}

interface MispObject {
  readonly name: string;
  readonly deleted: boolean;
  readonly Attribute: readonly Attribute[];
}

async function objectsOf(service: string, uuid: string): Promise<readonly MispObject[]> {
  const { status, json } = await get(`/misp/${service}/${uuid}.json`);
  assert.equal(status, 200);
  return (json as { Event: { Object: readonly MispObject[] } }).Event.Object;
}

async function attributesOf(service: string, uuid: string): Promise<readonly Attribute[]> {
  return (await objectsOf(service, uuid)).flatMap(({ Attribute: attributes }) => attributes);
}

const only = async (service: string) => {
  const [found, ...others] = Object.entries(await manifestOf(service));
  assert.deepEqual(others, []);
  return found ?? assert.fail('the manifest is empty');
};

const HASH = 'c0'.repeat(32);

describe('the MISP feed', () => {
  it('is an empty object without hashes before the first report', async () => {
    const service = await rig.service();
    const manifest = await get(`/misp/${service}/manifest.json`);
    assert.equal(manifest.text, '{}');
    assert.match(String(manifest.headers['content-type']), /^application\/json/);
    const hashes = await get(`/misp/${service}/hashes.csv`);
    assert.equal(hashes.status, 404);
    assert.equal(hashes.headers['x-error-code'], 'empty_misp_feed');
  });

  it('has an event with objects for the address, the file and the link of each report', async () => {
    const service = await rig.service({ name: 'Ply' });
    await rig.report(service, researcher.token, {
      c2Address: '[2a01:db8::7]:443',
      file256Hash: HASH,
      tags: ['asyncrat'],
      referenceLink: 'https://blog.example/post',
    });
    const [uuid, entry] = await only(service);
    assert.equal(entry.Orgc.name, 'Ply');
    assert.equal(entry.date, rig.clock.now().toISOString().slice(0, 10));
    const attributes = await attributesOf(service, uuid);
    assert.deepEqual(
      attributes.map(({ type, value, to_ids, deleted }) => [type, value, to_ids, deleted]),
      [
        ['ip-dst', '2a01:db8::7', true, false],
        ['port', '443', false, false],
        ['sha256', HASH, true, false],
        ['link', 'https://blog.example/post', false, false],
      ],
    );
  });

  it('hashes every value', async () => {
    const service = await rig.service();
    await rig.report(service, researcher.token, {
      c2Address: '45.7.113.7:4444',
      file256Hash: HASH,
      referenceLink: 'https://blog.example/post',
    });
    const [uuid] = await only(service);
    const { status, text, headers } = await get(`/misp/${service}/hashes.csv`);
    assert.equal(status, 200);
    assert.match(String(headers['content-type']), /^text\/csv/);
    const values = ['45.7.113.7', '4444', HASH, 'https://blog.example/post'];
    const md5 = (value: string) => createHash('md5').update(value).digest('hex');
    assert.equal(text, values.map((value) => `${md5(value)},${uuid}\n`).join(''));
  });

  it('builds the hashes once for each version, and not in the turns of the server', async () => {
    const service = await rig.service();
    const lines = Array.from({ length: 300 }, (_, index) => ({
      c2Address: `c${index}.example:443`,
      file256Hash: HASH,
      referenceLink: 'https://blog.example/post',
    }));
    assert.equal((await rig.bulk(service, researcher.token, lines)).status, 200);
    eventReads = 0;
    const path = `/misp/${service}/hashes.csv`;
    const answers = await Promise.all(Array.from({ length: 4 }, () => get(path)));
    assert.equal(eventReads, 0);
    const [etag] = answers.map(({ headers }) => String(headers['etag']));
    assert.match(etag ?? '', /^"/);
    for (const { status, text, headers } of answers) {
      assert.deepEqual([status, headers['etag']], [200, etag]);
      assert.equal(text.split('\n').length, 4 * lines.length + 1);
    }
    assert.equal((await get(path, { 'if-none-match': etag ?? '' })).status, 304);
  });

  it('hashes the values of expired reports, which their events have too', async () => {
    const service = await rig.service({ expireAfterDays: 1 });
    await rig.report(service, researcher.token, { c2Address: '203.0.113.8:4444' });
    const live = await get(`/misp/${service}/hashes.csv`);
    rig.clock.advance(2 * 24 * 3_600_000);
    while ((await rig.deps.store.feeds.expire(rig.clock.now(), 100)) > 0);
    const expired = await get(`/misp/${service}/hashes.csv`);
    assert.deepEqual([expired.status, expired.text], [200, live.text]);
    assert.notEqual(expired.headers['etag'], live.headers['etag']);
  });

  it('raises the timestamp with every change, and no two events have the same', async () => {
    const service = await rig.service();
    const owner = await rig.owner(service);
    const id = await rig.report(service, researcher.token);
    rig.clock.advance(24 * 3_600_000);
    await rig.report(service, researcher.token);
    const before = await manifestOf(service);
    const stamps = Object.values(before).map(({ timestamp }) => timestamp);
    assert.equal(new Set(stamps).size, 2);
    await rig.answer(service, id, owner.token, { status: 'rejected' });
    const later = await manifestOf(service);
    const raised = Object.keys(later).filter(
      (uuid) => Number(later[uuid]?.timestamp) > Number(before[uuid]?.timestamp),
    );
    assert.equal(raised.length, 1);
    const attributes = await attributesOf(service, raised[0] ?? '');
    assert.ok(attributes.every(({ to_ids }) => !to_ids));
    assert.match(attributes[0]?.comment ?? '', /rejected/);
    assert.ok(Number(later[raised[0] ?? '']?.timestamp) > Math.max(...stamps.map(Number)));
  });

  it('keeps a deleted report as deleted, with a higher timestamp and out of the hashes', async () => {
    const service = await rig.service();
    const id = await rig.report(service, researcher.token);
    const kept = await rig.report(service, researcher.token, { c2Address: '45.7.113.9:1' });
    const [uuid, first] = await only(service);
    const [before] = await attributesOf(service, uuid);
    await rig.remove(service, id, researcher.token);
    const [same, second] = await only(service);
    assert.equal(same, uuid);
    assert.ok(Number(second.timestamp) > Number(first.timestamp));
    const attributes = await attributesOf(service, uuid);
    const deleted = attributes.filter((one) => one.deleted);
    assert.equal(deleted.length, 3);
    const objects = (await objectsOf(service, uuid)).filter((one) => one.deleted);
    assert.deepEqual(
      objects.map(({ name }) => name),
      ['ip-port', 'file'],
    );
    assert.ok(deleted.every(({ to_ids }) => !to_ids));
    const [after] = deleted.filter((one) => one.uuid === before?.uuid);
    assert.ok(Number(after?.timestamp) > Number(before?.timestamp));
    assert.ok(attributes.some(({ comment, deleted: gone }) => !gone && comment.includes(kept)));
    const { text } = await get(`/misp/${service}/hashes.csv`);
    const host = before?.value ?? '';
    assert.doesNotMatch(text, new RegExp(createHash('md5').update(host).digest('hex')));
  });

  it('answers 304 until something changes', async () => {
    const service = await rig.service();
    await rig.report(service, researcher.token);
    const [uuid] = await only(service);
    const paths = ['manifest.json', 'hashes.csv', `${uuid}.json`];
    const tags: string[] = [];
    for (const path of paths) {
      const { headers } = await get(`/misp/${service}/${path}`);
      tags.push(String(headers['etag']));
      assert.equal(headers['cache-control'], 'private, no-cache');
      const again = await get(`/misp/${service}/${path}`, { 'if-none-match': tags.at(-1) ?? '' });
      assert.equal(again.status, 304);
      assert.equal(again.headers['etag'], tags.at(-1));
    }
    await rig.report(service, researcher.token);
    for (const [index, path] of paths.entries()) {
      const headers = { 'if-none-match': tags[index] ?? '' };
      assert.equal((await get(`/misp/${service}/${path}`, headers)).status, 200);
    }
  });

  it('is found with duplicate slashes', async () => {
    const service = await rig.service();
    await rig.report(service, researcher.token);
    const [uuid] = await only(service);
    for (const path of ['manifest.json', 'hashes.csv', `${uuid}.json`]) {
      const { statusCode } = await rig.app.inject({
        url: `/misp/${service}//${path}`,
        headers: { authorization: `Bearer ${token}` },
      });
      assert.equal(statusCode, 200, path);
    }
  });

  it('streams a day of many reports', async () => {
    const service = await rig.service();
    const lines = Array.from({ length: 450 }, (_, index) => ({
      c2Address: `c${index}.example:443`,
      file256Hash: HASH,
      tags: ['tag'],
    }));
    assert.equal((await rig.bulk(service, researcher.token, lines)).status, 200);
    const [uuid] = await only(service);
    const hosts = (await attributesOf(service, uuid)).filter(({ type }) => type === 'hostname');
    assert.deepEqual(
      hosts.map(({ value }) => value),
      lines.map((_, index) => `c${index}.example`),
    );
  });

  it('has no events but those of its manifest', async () => {
    const service = await rig.service();
    const other = await rig.service();
    await rig.report(other, researcher.token);
    const [uuid] = await only(other);
    for (const file of [`${uuid}.json`, `${uuid}`, 'x.json', '0.json']) {
      const { status, headers } = await get(`/misp/${service}/${file}`);
      assert.equal(status, 404, file);
      assert.equal(headers['x-error-code'], 'unknown_event');
    }
  });

  it('needs a token, which readers may send as they can', async () => {
    const service = await rig.service();
    const path = `/misp/${service}/manifest.json`;
    const none = await rig.app.inject({ url: path });
    assert.equal(none.statusCode, 401);
    assert.match(String(none.headers['www-authenticate']), /Basic realm.*Bearer realm/);
    const basic = Buffer.from(`misp:${token}`).toString('base64');
    for (const headers of [
      { authorization: `Basic ${basic}` },
      { authorization: token },
      { 'auth-key': token },
      { 'x-api-key': token },
    ])
      assert.equal((await rig.ask('GET', path, { headers })).status, 200);
    assert.equal((await get('/misp/absent/manifest.json')).status, 404);
  });

  it('divides a day of many reports into events', async () => {
    const service = await rig.service({ name: 'Ply' });
    const count = REPORTS_OF_PART + 3;
    const line = (index: number) => ({ c2Address: `c${index}.example:443`, file256Hash: HASH });
    for (const [from, to] of [
      [0, REPORTS_OF_PART],
      [REPORTS_OF_PART, count],
    ] as const) {
      const lines = Array.from({ length: to - from }, (_, index) => line(from + index));
      assert.equal((await rig.bulk(service, researcher.token, lines)).status, 200);
    }
    const manifest = await manifestOf(service);
    const title = `Ply: command-and-control servers reported on ${rig.clock.now().toISOString().slice(0, 10)}`;
    assert.deepEqual(
      Object.values(manifest).map(({ info }) => info),
      [title, `${title}, part 2`],
    );
    const valuesOf = async (uuid = '') =>
      (await attributesOf(service, uuid)).filter(({ type }) => type === 'hostname').length;
    const [first, second] = Object.keys(manifest);
    assert.deepEqual([await valuesOf(first), await valuesOf(second)], [REPORTS_OF_PART, 3]);
    const { text } = await get(`/misp/${service}/hashes.csv`);
    const md5 = createHash('md5').update(`c${REPORTS_OF_PART}.example`).digest('hex');
    assert.ok(text.includes(`${md5},${second}\n`));
  });
});

describe('the MISP feed of all services', () => {
  it('has the events of every feed, as the feeds have them', async () => {
    const services = [await rig.service({ name: 'One' }), await rig.service({ name: 'Two' })];
    for (const service of services) await rig.report(service, researcher.token);
    const all = await manifestOf('all');
    for (const service of services) {
      const [uuid, entry] = await only(service);
      assert.deepEqual(all[uuid], entry);
      const [own, ofAll] = [
        await get(`/misp/${service}/${uuid}.json`),
        await get(`/misp/all/${uuid}.json`),
      ];
      assert.equal(ofAll.status, 200);
      assert.deepEqual([ofAll.text, ofAll.headers['etag']], [own.text, own.headers['etag']]);
    }
    const stamps = Object.values(all).map(({ timestamp }) => timestamp);
    assert.equal(new Set(stamps).size, stamps.length);
    const { text, status } = await get('/misp/all/hashes.csv');
    assert.equal(status, 200);
    const listed = new Set(text.split('\n').map((line) => line.split(',')[1]));
    for (const service of services) assert.ok(listed.has((await only(service))[0]));
  });

  it('answers 304 until a feed changes', async () => {
    const service = await rig.service();
    const path = '/misp/all/manifest.json';
    const read = async (etag?: unknown) =>
      await get(path, etag === undefined ? {} : { 'if-none-match': String(etag) });
    const { etag } = (await read()).headers;
    assert.equal((await read(etag)).status, 304);
    await rig.report(service, researcher.token);
    assert.equal((await read(etag)).status, 200);
  });

  it('needs a token, and has no other files', async () => {
    const { statusCode } = await rig.app.inject({ url: '/misp/all/manifest.json' });
    assert.equal(statusCode, 401);
    for (const file of ['x.json', `${HASH}.json`, '5a1c3b7e-6d0f-5e52-9d6c-0f5a3c1e7b90.json'])
      assert.equal((await get(`/misp/all/${file}`)).headers['x-error-code'], 'unknown_event');
  });
});
