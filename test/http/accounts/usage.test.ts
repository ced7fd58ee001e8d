import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { Usage } from '../../../src/client/wire.ts';
import { sha256Of } from '../../builders.ts';
import { ownRig } from '../http-rig.ts';
import { Browser, newLink, signedIn } from './browser.ts';

const DAY_MS = 24 * 3_600_000;

async function openUsageRig(test: TestContext) {
  const rig = await ownRig(test);
  const usage = async (token: string, query = ''): Promise<Usage> => {
    const { status, json } = await rig.ask('GET', `/api/usage${query}`, { token });
    assert.equal(status, 200);
    return json as unknown as Usage;
  };
  /** The id of the only token of an account. */
  const idOf = async (token: string) => {
    const { json } = await rig.ask('GET', '/api/tokens', { token });
    return (json['tokens'] as readonly { readonly id: string }[])[0]?.id;
  };
  return { rig, usage, idOf };
}

const sumOf = (list: readonly { readonly units: number }[]) =>
  list.reduce((sum, { units }) => sum + units, 0);

describe('the usage of an account', () => {
  it('has the units of the last 90 days, and takes none', async (test) => {
    const { rig, usage } = await openUsageRig(test);
    const { token } = await rig.reader({ limit: 9, period: 'none' });
    const days = async () => (await usage(token)).days.map(({ day, units }) => ({ day, units }));
    const empty = await days();
    assert.equal(empty.length, 90);
    assert.ok(empty.every(({ units }) => units === 0));
    assert.equal(empty.at(-1)?.day, '2026-08-26');
    await rig.lookUp(sha256Of('missing'), token);
    await rig.lookUp('no hash', token);
    rig.clock.advance(DAY_MS);
    const hashes = [sha256Of('a'), sha256Of('b')];
    await rig.ask('POST', '/private/samples', { token, body: { hashes } });
    await rig.lookUp(sha256Of('missing'), token);
    assert.deepEqual((await days()).slice(-3), [
      { day: '2026-08-25', units: 0 },
      { day: '2026-08-26', units: 2 },
      { day: '2026-08-27', units: 3 },
    ]);
    assert.equal(await rig.unitsLeft(token), 4);
    rig.clock.advance(89 * DAY_MS);
    const later = await days();
    assert.deepEqual(later[0], { day: '2026-08-27', units: 3 });
    assert.equal(later.length, 90);
    assert.equal((await rig.ask('GET', '/api/usage')).code, 'token_missing');
  });

  it('states what was charged, with which token, and adds up', async (test) => {
    const { rig, usage, idOf } = await openUsageRig(test);
    const { token } = await rig.reader();
    const { sha256Hash } = await rig.analyse('charged');
    const issued = await rig.ask('POST', '/api/tokens', { token, body: { label: 'ci' } });
    const other = String(issued.json['token']);
    const id = await idOf(token);
    await rig.lookUp(sha256Hash, token);
    rig.clock.advance(60_000);
    await rig.lookUp('no hash', token);
    await rig.lookUp(sha256Hash, other);
    for (const path of [
      `sample/${sha256Hash}/details`,
      `sample/${sha256Hash}/details?report=true`,
      `similar/${sha256Hash}`,
      'similar?ssdeep=3:abc:abc',
    ])
      await rig.ask('GET', `/private/${path}`, { token: other });
    const body = { hashes: [sha256Hash, 'no hash', sha256Of('b')] };
    await rig.ask('POST', '/private/samples', { token: other, body });
    await rig.ask('DELETE', `/api/tokens/${issued.json['id']}`, { token });
    const today = (await usage(token)).days.at(-1);
    assert.equal(today?.itemised, true);
    assert.equal(sumOf(today.entries), today.units);
    const mine = today.entries.filter((entry) => entry.token?.id === id);
    assert.deepEqual(mine, [
      {
        operation: 'lookup',
        token: mine[0]?.token,
        units: 2,
        firstAt: '2026-08-26T10:00:00Z',
        lastAt: '2026-08-26T10:01:00Z',
      },
    ]);
    const revoked = today.entries.filter((entry) => entry.token?.label === 'ci');
    assert.deepEqual(revoked.map(({ operation, units }) => [operation, units]).toSorted(), [
      ['batch', 3],
      ['details', 2],
      ['lookup', 1],
      ['similar', 2],
    ]);
    assert.equal(revoked[0]?.token?.hint, issued.json['hint']);
  });

  it('names the token that a session came from, and none for a sign-in link', async (test) => {
    const { rig, usage, idOf } = await openUsageRig(test);
    const { token, id } = await rig.reader();
    const byToken = await signedIn(rig, token);
    await byToken.ask('GET', '/private/sample/none');
    const byLink = new Browser(rig);
    await byLink.signIn({ body: { link: await newLink(rig, id) } });
    await byLink.ask('POST', '/private/samples', { body: { hashes: ['a', 'b'] } });
    const entries = (await usage(token)).days.at(-1)?.entries ?? [];
    assert.deepEqual(
      entries.map((entry) => [entry.token?.id, entry.operation, entry.units]),
      [
        [await idOf(token), 'lookup', 1],
        [undefined, 'batch', 2],
      ],
    );
  });

  it('counts a large report once', async (test) => {
    const { rig, usage } = await openUsageRig(test);
    const { token } = await rig.reader();
    const { sha256Hash } = await rig.analyse('large', {
      configs: { LANTERN: { key: 'x'.repeat(40_000) } },
    });
    assert.equal((await rig.lookUp(sha256Hash, token)).status, 200);
    const today = (await usage(token)).days.at(-1);
    assert.equal(today?.units, 1);
    assert.deepEqual(
      today.entries.map(({ operation, units }) => [operation, units]),
      [['lookup', 1]],
    );
  });

  it('can be limited to some days, and is read in pages', async (test) => {
    const { rig, usage } = await openUsageRig(test);
    const { token } = await rig.reader();
    for (let day = 0; day < 3; day += 1) {
      await rig.lookUp('no hash', token);
      await rig.ask('GET', '/private/similar/none', { token });
      rig.clock.advance(DAY_MS);
    }
    const days = async (query: string) => (await usage(token, query)).days.map(({ day }) => day);
    assert.deepEqual(await days('?day=2026-08-27'), ['2026-08-27']);
    assert.deepEqual(await days('?from=2026-08-28'), ['2026-08-28', '2026-08-29']);
    assert.equal((await days('?to=2026-08-26')).at(-1), '2026-08-26');
    assert.deepEqual(await days('?day=2020-01-01'), []);
    const one = await usage(token, '?day=2026-08-27');
    assert.equal(sumOf(one.days[0]?.entries ?? []), 2);
    const found: string[] = [];
    for (let query = '?limit=4&from=2026-08-26', pages = 0; pages < 9; pages += 1) {
      const page = await usage(token, query);
      for (const { day, entries } of page.days)
        found.push(...entries.map(({ operation }) => `${day} ${operation}`));
      if (!page.hasMore) break;
      query = `?limit=4&from=2026-08-26&cursor=${page.nextCursor}`;
    }
    assert.deepEqual(found.toSorted(), [
      '2026-08-26 lookup',
      '2026-08-26 similar',
      '2026-08-27 lookup',
      '2026-08-27 similar',
      '2026-08-28 lookup',
      '2026-08-28 similar',
    ]);
  });

  it('refuses days and cursors that are not valid', async (test) => {
    const { rig, usage } = await openUsageRig(test);
    const { token } = await rig.reader();
    for (const [query, error] of [
      ['day=2026-02-30', /^day must be a UTC day of the form YYYY-MM-DD/],
      ['from=yesterday', /^from must be a UTC day/],
      ['day=2026-08-26&to=2026-08-26', /^day cannot be combined with from or to/],
      ['from=2026-08-26&to=2026-08-25', /^from must not be after to/],
      ['limit=1001', /^limit must be an integer from 1 to 1000/],
      ['days=3', /"days" is not known here/],
    ] as const) {
      const { status, json } = await rig.ask('GET', `/api/usage?${query}`, { token });
      assert.equal(status, 400);
      assert.match(String(json['error']), error);
    }
    const forged = await rig.ask('GET', '/api/usage?cursor=x', { token });
    assert.equal(forged.code, 'invalid_cursor');
    await rig.lookUp('no hash', token);
    await rig.ask('GET', '/private/similar/none', { token });
    const { nextCursor } = await usage(token, '?limit=1&day=2026-08-26');
    for (const days of ['day=2026-08-25', 'from=2026-08-26', 'limit=1']) {
      const other = await rig.ask('GET', `/api/usage?${days}&cursor=${nextCursor}`, { token });
      assert.equal(other.code, 'invalid_cursor', days);
    }
  });

  it('is shown to administrators by name or id, and to nobody else', async (test) => {
    const { rig } = await openUsageRig(test);
    const { token, id, name } = await rig.reader();
    await rig.lookUp('no hash', token);
    for (const account of [id, name]) {
      const path = `/admin/accounts/${encodeURIComponent(account)}/usage?day=2026-08-26`;
      const { json } = await rig.ask('GET', path, { token: rig.admin });
      assert.equal((json as unknown as Usage).days[0]?.entries[0]?.units, 1);
      assert.equal((await rig.ask('GET', path, { token })).status, 403);
    }
    const absent = await rig.ask('GET', '/admin/accounts/nobody/usage', { token: rig.admin });
    assert.equal(absent.code, 'unknown_account');
  });
});
