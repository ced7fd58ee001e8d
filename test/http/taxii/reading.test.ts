import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { onlyOnSqlite } from '../../database.ts';
import { openRig } from '../http-rig.ts';
import { nextOf, objectsOf, ROOT, type StixObject, TAXII, TaxiiReader } from './taxii-reader.ts';

const rig = await openRig();
after(() => rig.close());
const researcher = await rig.researcher();
const reader = new TaxiiReader(rig, researcher.token);

const OWN_CLOCK = onlyOnSqlite('PostgreSQL takes the times of changes from its clock');

/** A feed with that many reports, each of its own millisecond. */
async function feed(count: number): Promise<{ slug: string; ids: readonly string[] }> {
  const slug = await rig.service();
  const ids: string[] = [];
  for (let number = 0; number < count; number += 1) {
    rig.clock.advance(5);
    const c2Address = `c${number}.evil.example:4444`;
    ids.push(await rig.report(slug, researcher.token, { c2Address }));
  }
  return { slug, ids };
}

function indicators(objects: readonly StixObject[]): readonly StixObject[] {
  return objects.filter(({ type }) => type === 'indicator');
}

describe('the discovery of TAXII', () => {
  it('leads to the collections, with and without the last slash, and with too many', async () => {
    const { slug } = await feed(0);
    for (const path of ['/taxii2/', '/taxii2', '//taxii2//']) {
      const { status, json } = await reader.get(path);
      assert.equal(status, 200);
      assert.equal(json['default'], ROOT);
      assert.deepEqual(json['api_roots'], [ROOT]);
    }
    const root = await reader.get(ROOT);
    assert.deepEqual(root.json['versions'], [TAXII]);
    assert.ok(Number(root.json['max_content_length']) > 0);
    const listed = await reader.get(`${ROOT}collections`);
    const collections = listed.json['collections'] as Record<string, unknown>[];
    const titles = collections.map(({ title }) => String(title));
    assert.equal(new Set(titles).size, titles.length);
    for (const title of titles) assert.match(title, /^[^\s.,*]+$/);
    const own = collections.find(({ alias }) => alias === slug);
    assert.match(String(own?.['id']), /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab]/);
    for (const name of [slug, own?.['id']]) {
      const { json } = await reader.get(`${ROOT}collections/${name}/`);
      assert.deepEqual(json, own);
    }
  });

  it('says who may write', async () => {
    const { slug } = await feed(0);
    const { token } = await rig.reader();
    const path = `${ROOT}collections/${slug}/`;
    assert.equal((await reader.get(path)).json['can_write'], true);
    assert.equal((await rig.ask('GET', path, { token })).json['can_write'], false);
    assert.equal((await reader.get(`${ROOT}collections/all/`)).json['can_write'], false);
  });

  it('needs a token, and asks for it in both ways', async () => {
    const answer = await rig.ask('GET', '/taxii2/');
    assert.equal(answer.status, 401);
    assert.equal(answer.json['http_status'], '401');
  });

  for (const [accept, status] of [
    ['application/taxii+json', 200],
    ['application/stix+json;version=2.1', 200],
    ['application/json, text/html;q=0.1', 200],
    ['*/*', 200],
    ['text/html', 406],
    ['application/taxii+json;version=2.0', 406],
  ] as const) {
    it(`answers Accept: ${accept} with ${status}`, async () => {
      const answer = await reader.get('/taxii2/', { accept });
      assert.equal(answer.status, status);
      assert.equal(answer.headers['content-type'], TAXII);
    });
  }

  it('refuses what it does not know', async () => {
    for (const path of [
      '/taxii2/other/',
      `${ROOT}collections/none/`,
      `${ROOT}collections/7c6cfd15-1b68-438a-8c92-000000000000/objects/`,
      `${ROOT}collections/all/objects/indicator--7c6cfd15-1b68-438a-8c92-6fa652a51d2c/`,
      `${ROOT}status/7c6cfd15-1b68-438a-8c92-6fa652a51d2c/`,
    ])
      assert.equal((await reader.get(path)).status, 404, path);
  });
});

describe('the objects of a collection', () => {
  it('are marking and identity, then two indicators for each report', async () => {
    const { slug } = await feed(3);
    const objects = await reader.all(slug);
    assert.deepEqual(
      objects.map(({ type }) => type),
      ['marking-definition', 'identity', ...Array(6).fill('indicator')],
    );
    for (const object of objects) assert.equal(object['spec_version'], '2.1');
  });

  it('are the same with every limit, which is exact for pages that continue with next', async () => {
    const { slug } = await feed(7);
    const all = await reader.all(slug);
    for (const limit of [1, 2, 3, 5, 16, 1000]) {
      const pages = await reader.pages(slug, `limit=${limit}`);
      assert.deepEqual(pages.flatMap(objectsOf), all);
      for (const page of pages.slice(1, -1)) assert.equal(objectsOf(page).length, limit);
    }
  });

  it('are whole reports on a page without next, for clients that continue by time', async () => {
    const { slug } = await feed(7);
    const found: StixObject[] = [];
    for (let query = '?limit=5'; ; ) {
      const page = await reader.page(slug, query);
      found.push(...objectsOf(page));
      assert.equal(objectsOf(page).length % 2, 0);
      if (nextOf(page) === undefined) break;
      query = `?limit=5&added_after=${page.headers['x-taxii-date-added-last']}`;
    }
    assert.deepEqual(found, await reader.all(slug));
  });

  it('are complete for a client that changes from next to added_after on any page', async () => {
    const { slug } = await feed(4);
    const all = await reader.all(slug);
    const pages = await reader.pages(slug, 'limit=3');
    let splits = 0;
    for (const [index, page] of pages.entries()) {
      const seen = pages.slice(0, index + 1).flatMap(objectsOf);
      const last = page.headers['x-taxii-date-added-last'];
      const rest = objectsOf(await reader.page(slug, `?added_after=${last}`));
      const again = seen.length + rest.length - all.length;
      assert.deepEqual([...seen, ...rest.slice(again)], all);
      if (again > 0) splits += 1;
    }
    assert.equal(splits, 1);
  });

  it('are split only if the limit is smaller than a report', async () => {
    const { slug } = await feed(3);
    const pages = await reader.pages(slug, 'limit=1');
    assert.deepEqual(pages.flatMap(objectsOf), await reader.all(slug));
    assert.equal(pages.length, 8);
  });

  it('have times that have come, and are found by their ids before', OWN_CLOCK, async () => {
    const slug = await rig.service();
    const count = 30;
    const ids: string[] = [];
    for (let number = 0; number < count; number += 1)
      ids.push(await rig.report(slug, researcher.token));
    const read = () => reader.get(`${ROOT}collections/${slug}/objects/?match[type]=indicator`);
    const reportOf = (object: StixObject) =>
      (object['external_references'] as { external_id: string }[])[0]?.external_id;
    const early = objectsOf(await read());
    assert.ok(early.length < 2 * count, 'the feed is ahead of the clock');
    rig.clock.advance(1000);
    const all = objectsOf(await read());
    assert.deepEqual(all.filter((_, index) => index % 2 === 0).map(reportOf), ids);
    assert.deepEqual(all.slice(0, early.length), early);
    // The last of these is ahead of the clock, with the other reports of the second.
    for (let number = 0; number < count; number += 1) await rig.report(slug, researcher.token);
    const path = `${ROOT}collections/${slug}/objects/`;
    const revoked = all.at(-1) ?? assert.fail();
    await rig.ask('DELETE', `${path}${revoked.id}/`, { token: researcher.token });
    const now = rig.clock.now().toISOString();
    const found = await reader.get(`${path}${revoked.id}/`);
    const [object] = objectsOf(found);
    assert.equal(object?.revoked, true);
    assert.ok(
      (object?.modified ?? '9') <= now && (object?.modified ?? '') > (revoked.modified ?? ''),
    );
    assert.ok(String(found.headers['x-taxii-date-added-last']) <= now.replace('Z', '000Z'));
  });

  it('continue if the limit changes, with and without added_after', async () => {
    const { slug } = await feed(6);
    const all = await reader.all(slug);
    const first = await reader.page(slug, '?limit=4');
    const rest = await reader.page(slug, `?limit=100&next=${nextOf(first)}`);
    assert.deepEqual([...objectsOf(first), ...objectsOf(rest)], all);
    const added = '2001-01-01T00:00:00Z';
    const again = await reader.page(slug, `?added_after=${added}&next=${nextOf(first)}`);
    assert.deepEqual(objectsOf(again), objectsOf(rest));
  });

  it('continue after a split of a report with another limit', async () => {
    const { slug } = await feed(2);
    const first = await reader.page(slug, '?limit=3');
    const second = await reader.page(slug, `?limit=1&next=${nextOf(first)}`);
    const third = await reader.page(slug, `?limit=100&next=${nextOf(second)}`);
    const all = [first, second, third].flatMap(objectsOf);
    assert.deepEqual(all, await reader.all(slug));
  });

  it('start anew with the cursor of another collection, and refuse a forged one', async () => {
    const [one, other] = [await feed(3), await feed(2)];
    const next = nextOf(await reader.page(one.slug, '?limit=2'));
    const page = await reader.page(other.slug, `?next=${next}`);
    assert.deepEqual(objectsOf(page), await reader.all(other.slug));
    for (const forged of ['x', `${next}x`, 'AAAA'.repeat(20)]) {
      const answer = await reader.get(`${ROOT}collections/${one.slug}/objects/?next=${forged}`);
      assert.equal(answer.status, 400, forged);
    }
  });

  it('are those added strictly later, in any accepted spelling of the time', async () => {
    const { slug } = await feed(4);
    const manifest = await reader.get(`${ROOT}collections/${slug}/manifest/`);
    const dates = (manifest.json['objects'] as { date_added: string }[]).map(
      (one) => one.date_added,
    );
    const middle = dates[5] ?? '';
    const short = middle.replace('000Z', 'Z');
    for (const text of [
      middle,
      short,
      middle.replace('000Z', '000000Z'),
      short.replace('Z', '%2B00:00'),
    ])
      assert.equal(objectsOf(await reader.page(slug, `?added_after=${text}`)).length, 4, text);
    const finer = middle.replace('000Z', '001Z');
    assert.equal(objectsOf(await reader.page(slug, `?added_after=${finer}`)).length, 4);
    const naive = short.replace('Z', '');
    const path = `${ROOT}collections/${slug}/objects/?added_after=${naive}`;
    assert.equal((await reader.get(path)).status, 400);
    assert.equal((await reader.get(`${path}&lenient=1`)).status, 200);
  });

  it('have the same time if they belong together, and times grow', async () => {
    const { slug } = await feed(5);
    const manifest = await reader.get(`${ROOT}collections/${slug}/manifest/`);
    const rows = manifest.json['objects'] as { date_added: string; version: string; id: string }[];
    const dates = rows.map(({ date_added }) => date_added);
    assert.deepEqual(dates, dates.toSorted());
    assert.equal(new Set(dates).size, 6);
    const objects = await reader.all(slug);
    assert.deepEqual(
      indicators(objects).map(({ id, modified }) => [id, modified]),
      rows.slice(2).map(({ id, version }) => [id, version]),
    );
  });

  it('echo added_after on an empty page', async () => {
    const { slug } = await feed(1);
    const answer = await reader.page(slug, '?added_after=2030-01-01T00:00:00.123456Z');
    assert.equal(answer.headers['x-taxii-date-added-last'], '2030-01-01T00:00:00.123456Z');
    assert.deepEqual(answer.json, { more: false });
  });

  it('get a last, revoked version when a report is deleted', async () => {
    const { slug, ids } = await feed(3);
    const before = indicators(await reader.all(slug));
    const last = (await reader.page(slug)).headers['x-taxii-date-added-last'];
    rig.clock.advance(5);
    await rig.remove(slug, ids[1] ?? '', researcher.token);
    const later = objectsOf(await reader.page(slug, `?added_after=${last}`));
    assert.deepEqual(
      later.map(({ id, revoked }) => [id, revoked]),
      [
        [before[2]?.id, true],
        [before[3]?.id, true],
      ],
    );
    for (const [index, object] of later.entries()) {
      assert.equal(object['created'], before[2 + index]?.['created']);
      assert.ok(String(object.modified) > String(before[2 + index]?.modified));
      assert.ok(String(object['valid_until']) > String(object['valid_from']));
    }
    assert.equal(indicators(await reader.all(slug)).length, 6);
  });

  it('move to the end with a new version when a report changes', async () => {
    const { slug, ids } = await feed(2);
    const owner = await rig.owner(slug);
    const before = indicators(await reader.all(slug));
    const last = (await reader.page(slug)).headers['x-taxii-date-added-last'];
    rig.clock.advance(5);
    await rig.answer(slug, ids[0] ?? '', owner.token, { status: 'acknowledged' });
    const later = objectsOf(await reader.page(slug, `?added_after=${last}`));
    assert.deepEqual(
      later.map(({ id }) => id),
      [before[0]?.id, before[1]?.id],
    );
    assert.ok(String(later[0]?.modified) > String(before[0]?.modified));
  });

  it('are filtered by id, type, version and specification', async () => {
    const { slug } = await feed(3);
    const objects = await reader.all(slug);
    const [, identity, first, second] = objects;
    const matching = async (filter: string) => objectsOf(await reader.page(slug, `?${filter}`));
    assert.deepEqual(await matching(`match[id]=${second?.id},${identity?.id}`), [identity, second]);
    assert.deepEqual(await matching('match[type]=identity'), [identity]);
    assert.deepEqual(await matching('match[type]=indicator'), indicators(objects));
    assert.deepEqual(await matching('match[type]=unknown-thing'), []);
    assert.deepEqual(await matching(`match[version]=${first?.modified}`), [first, second]);
    for (const version of ['last', 'first', 'all'])
      assert.deepEqual(await matching(`match[version]=${version}`), objects);
    assert.deepEqual(await matching('match[spec_version]=2.1'), objects);
    assert.deepEqual(await matching('match[spec_version]=2.0'), []);
    assert.deepEqual(await matching('match[colour]=red'), objects);
    assert.deepEqual(await matching(`match[id]=${first?.id}&added_after=2030-01-01T00:00:00Z`), []);
  });

  it('page through a filter by id', async () => {
    const { slug } = await feed(2);
    const ids = indicators(await reader.all(slug)).map(({ id }) => id);
    const pages = await reader.pages(slug, `limit=1&match[id]=${ids.join()}`);
    assert.deepEqual(
      pages.flatMap(objectsOf).map(({ id }) => id),
      ids,
    );
  });

  it('have one version each, by id', async () => {
    const { slug } = await feed(1);
    const [marking, identity, first] = await reader.all(slug);
    for (const object of [marking, identity, first]) {
      const path = `${ROOT}collections/${slug}/objects/${object?.id}/`;
      assert.deepEqual(objectsOf(await reader.get(path)), [object]);
      const { json } = await reader.get(`${path}versions/`);
      assert.deepEqual(json, { more: false, versions: [object?.modified ?? object?.['created']] });
    }
    const other = await feed(0);
    const foreign = await reader.get(`${ROOT}collections/${other.slug}/objects/${first?.id}/`);
    assert.equal(foreign.status, 404);
  });

  it('describe what they are about in the rich profile', async () => {
    const { slug } = await feed(2);
    const objects = await reader.all(slug, 'profile=rich&limit=12');
    const types = new Set(objects.map(({ type }) => type));
    for (const type of ['domain-name', 'file', 'infrastructure', 'network-traffic', 'relationship'])
      assert.ok(types.has(type), type);
    const old = await reader.all(slug, 'tlp=1');
    assert.equal(old[0]?.id, 'marking-definition--613f2e26-407d-48c7-9eca-b8e91df99dc9');
  });

  for (const query of [
    'limit=0',
    'limit=-1',
    'limit=x',
    'limit=1&limit=2',
    'added_after=yesterday',
    'added_after=2026-08-26T10:00:00Z&added_after=2026-08-26T10:00:00Z',
    'match[version]=newest',
    'match[id]=',
    'profile=other',
    'tlp=3',
  ]) {
    it(`are refused with 400 for ${query}`, async () => {
      const { slug } = await feed(0);
      for (const list of ['objects', 'manifest'])
        assert.equal(
          (await reader.get(`${ROOT}collections/${slug}/${list}/?${query}`)).status,
          400,
        );
    });
  }
});

describe('the collection over all feeds', () => {
  it('has the objects of every feed once, in one order', async () => {
    const own = await openRig();
    try {
      const { token } = await own.researcher();
      const slugs = [await own.service(), await own.service(), await own.service()];
      // Several reports of the same millisecond.
      for (const slug of [...slugs, ...slugs]) await own.report(slug, token);
      own.clock.advance(600_000);
      const ofAll = new TaxiiReader(own, token);
      const all = await ofAll.all('all');
      const each = await Promise.all(slugs.map((slug) => ofAll.all(slug)));
      // That of the built-in feed was made by the clock of the database.
      const builtIn = new Set((await ofAll.all('unclaimed')).map(({ id }) => id));
      const isOfServices = (id: string) => !(id.startsWith('identity--') && builtIn.has(id));
      assert.deepEqual(
        all
          .map(({ id }) => id)
          .filter(isOfServices)
          .toSorted(),
        [...new Set(each.flat().map(({ id }) => id))].toSorted(),
      );
      for (const limit of [1, 2, 3, 7])
        assert.deepEqual(await ofAll.all('all', `limit=${limit}`), all);
    } finally {
      await own.close();
    }
  });
});
