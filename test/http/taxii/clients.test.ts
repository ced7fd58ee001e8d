import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import type { Answer } from '../contract.ts';
import { openRig } from '../http-rig.ts';
import { objectsOf, ROOT, type StixObject, TAXII } from './taxii-reader.ts';

/**
 * Replays the requests of known pollers, as their sources make them, while reports are added and
 * deleted between the pages. Every poller must end with the newest version of every indicator.
 */
const rig = await openRig();
after(() => rig.close());
const { token } = await rig.researcher();
const basic = (user: string, password: string) =>
  `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;

class Feed {
  readonly slug: string;
  readonly #live: string[] = [];
  /** Fewer changes than pages, so that every poller comes to an end. */
  #changes = 4;

  constructor(slug: string) {
    this.slug = slug;
  }

  static async of(count: number): Promise<Feed> {
    const feed = new Feed(await rig.service());
    await feed.add(count);
    return feed;
  }

  async add(count: number): Promise<void> {
    for (let number = 0; number < count; number += 1) {
      rig.clock.advance(3);
      const c2Address = `c${this.#live.length}.evil.example:4444`;
      this.#live.push(await rig.report(this.slug, token, { c2Address }));
    }
  }

  /** Deletes a report and adds another, a few times; later calls do nothing. */
  async change(): Promise<void> {
    this.#changes -= 1;
    if (this.#changes < 0) return;
    rig.clock.advance(3);
    const [removed] = this.#live.splice(this.#live.length >> 1, 1);
    if (removed !== undefined) await rig.remove(this.slug, removed, token);
    await this.add(1);
  }

  /** The newest version of each object, from a walk without changes. */
  async expected(): Promise<ReadonlyMap<string, unknown>> {
    const url = `${ROOT}collections/${this.slug}/objects/?limit=1000`;
    const answer = await rig.ask('GET', url, { token });
    return new Map(objectsOf(answer).map((object) => [object.id, object]));
  }
}

/** What a poller has stored. */
class Stored {
  readonly objects = new Map<string, unknown>();

  add(page: Answer): readonly StixObject[] {
    assert.equal(page.status, 200, page.text);
    for (const object of objectsOf(page)) this.objects.set(object.id, object);
    return objectsOf(page);
  }
}

async function get(url: string, headers: Readonly<Record<string, string>>): Promise<Answer> {
  return await rig.ask('GET', url, { headers });
}

describe('a TAXII poller', () => {
  it('taxii2-client: Basic, both halves set, pages by next with the size of the first', async () => {
    const feed = await Feed.of(20);
    const headers = { authorization: basic('any', token), accept: TAXII };
    const url = `${ROOT}collections/${feed.slug}/objects/`;
    const stored = new Stored();
    let page = await get(`${url}?limit=7`, headers);
    const size = stored.add(page).length;
    while (page.json['more'] === true) {
      await feed.change();
      page = await get(`${url}?limit=${size}&next=${page.json['next']}`, headers);
      stored.add(page);
    }
    for (const [id, object] of await feed.expected())
      assert.deepEqual(stored.objects.get(id), object);
  });

  it('connector of OpenCTI: keeps the last next over runs, and sends it to other collections', async () => {
    const [one, other] = [await Feed.of(8), await Feed.of(5)];
    const headers = { authorization: `Bearer ${token}`, accept: TAXII };
    let filters: Record<string, string> = { limit: '5' };
    const poll = async (feed: Feed, stored: Stored) => {
      for (let round = 0; round < 50; round += 1) {
        const query = new URLSearchParams(filters);
        const page = await get(`${ROOT}collections/${feed.slug}/objects/?${query}`, headers);
        for (const object of stored.add(page)) assert.equal(object['spec_version'], '2.1');
        if (page.json['more'] !== true) return;
        filters = { ...filters, next: String(page.json['next']) };
        await feed.change();
      }
    };
    const stores = [new Stored(), new Stored()] as const;
    await poll(one, stores[0]);
    await poll(other, stores[1]);
    await other.add(2);
    await poll(other, stores[1]);
    for (const [id, object] of await other.expected())
      assert.deepEqual(stores[1].objects.get(id), object);
    assert.ok(stores[0].objects.size > 0);
  });

  it('core of OpenCTI: next with added_after, then the last header through a JavaScript date', async () => {
    const feed = await Feed.of(12);
    const headers = { authorization: basic(token, 'x'), accept: TAXII };
    const stored = new Stored();
    let [addedAfter, next] = ['', ''];
    for (let run = 0; run < 12; run += 1) {
      const query = new URLSearchParams({
        ...(addedAfter !== '' && { added_after: addedAfter }),
        ...(next !== '' && { next }),
        limit: '6',
      });
      const page = await get(`${ROOT}collections/${feed.slug}/objects/?${query}`, headers);
      stored.add(page);
      next = page.json['more'] === true ? String(page.json['next']) : '';
      if (next === '')
        addedAfter = new Date(String(page.headers['x-taxii-date-added-last'])).toISOString();
      await feed.change();
    }
    for (const [id, object] of await feed.expected())
      assert.deepEqual(stored.objects.get(id), object);
  });

  it('Elastic: follows next while it is there, and continues after the last header', async () => {
    const feed = await Feed.of(9);
    const headers = { authorization: `Token ${token}`, accept: TAXII };
    const stored = new Stored();
    const poll = async (added: string, next?: string): Promise<string> => {
      const query = new URLSearchParams({
        added_after: added,
        'match[type]': 'indicator',
        limit: '4',
        ...(next !== undefined && { next }),
      });
      const page = await get(`${ROOT}collections/${feed.slug}/objects/?${query}`, headers);
      stored.add(page);
      await feed.change();
      const following = page.json['next'] as string | undefined;
      return following === undefined
        ? String(page.headers['x-taxii-date-added-last'])
        : await poll(added, following);
    };
    let added = '2000-01-01T00:00:00.000000Z';
    for (let run = 0; run < 4; run += 1) {
      const last = await poll(added);
      // An earlier or absent time would make it read again what it has.
      assert.ok(last >= added, last);
      added = last;
    }
    const expected = [...(await feed.expected())].filter(([id]) => id.startsWith('indicator--'));
    for (const [id, object] of expected) assert.deepEqual(stored.objects.get(id), object);
  });

  it('Sentinel: API root, collection id, user and password; added_after only', async () => {
    const feed = await Feed.of(6);
    const headers = { authorization: basic('sentinel', token) };
    const root = await get('/taxii2/feeds', headers);
    assert.deepEqual(root.json['versions'], [TAXII]);
    const { json } = await get('/taxii2/feeds/collections', headers);
    const collections = json['collections'] as { id: string; title: string }[];
    const id = collections.find(({ title }) => title === feed.slug)?.id;
    const stored = new Stored();
    let added = '2000-01-01T00:00:00Z';
    for (let run = 0; run < 10; run += 1) {
      const page = await get(
        `/taxii2/feeds/collections/${id}/objects?added_after=${added}&limit=4`,
        headers,
      );
      stored.add(page);
      added = String(page.headers['x-taxii-date-added-last']);
      await feed.change();
    }
    for (const [one, object] of await feed.expected())
      assert.deepEqual(stored.objects.get(one), object);
  });

  it('with a header of its own: X-Api-Key or Auth-Key', async () => {
    for (const name of ['x-api-key', 'auth-key'])
      assert.equal((await get('/taxii2/', { [name]: token })).status, 200);
  });
});
