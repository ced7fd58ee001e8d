import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, describe, it } from 'node:test';
import type { Answer } from '../contract.ts';
import { openRig, type WireReport } from '../http-rig.ts';
import { objectsOf, ROOT, type StixObject, TAXII, TaxiiReader } from './taxii-reader.ts';

const rig = await openRig();
after(() => rig.close());
const researcher = await rig.researcher();
const reader = new TaxiiReader(rig, researcher.token);

const SHA256 = 'ab'.repeat(32);
const BOTH = `[network-traffic:dst_ref.value = 'c2.evil.example' AND network-traffic:dst_port = 4444] AND [file:hashes.'SHA-256' = '${SHA256}']`;

function indicator(pattern: string, members: Readonly<Record<string, unknown>> = {}): StixObject {
  return {
    type: 'indicator',
    spec_version: '2.1',
    id: `indicator--${randomUUID()}`,
    created: '2026-08-26T10:00:00.000Z',
    modified: '2026-08-26T10:00:00.000Z',
    pattern_type: 'stix',
    valid_from: '2026-08-26T10:00:00.000Z',
    pattern,
    ...members,
  };
}

interface Sent {
  readonly token?: string;
  readonly type?: string;
  readonly payload?: string;
}

function submit(
  collection: string,
  objects: readonly unknown[],
  { token = researcher.token, type = TAXII, payload }: Sent = {},
): Promise<Answer> {
  return rig.ask('POST', `${ROOT}collections/${collection}/objects/`, {
    token,
    headers: { 'content-type': type, accept: TAXII },
    payload: payload ?? JSON.stringify({ objects }),
  });
}

interface Details {
  readonly id: string;
  readonly message: string;
  readonly x_rapsheet_ids?: readonly string[];
}

/** Checks the sums and returns the successes and the failures. */
function outcomeOf({ status, json, text }: Answer) {
  assert.equal(status, 202, text);
  const successes = (json['successes'] ?? []) as readonly Details[];
  const failures = (json['failures'] ?? []) as readonly Details[];
  assert.equal(json['status'], 'complete');
  assert.equal(json['success_count'], successes.length);
  assert.equal(json['failure_count'], failures.length);
  assert.equal(json['pending_count'], 0);
  assert.equal(json['total_count'], successes.length + failures.length);
  return { successes, failures };
}

async function reportsOf(service: string): Promise<readonly WireReport[]> {
  const { json } = await rig.ask('GET', `/feed/${service}/reports`, { token: researcher.token });
  return json['reports'] as readonly WireReport[];
}

describe('a submission', () => {
  it('of one indicator of a C2 and a file is a report', async () => {
    const slug = await rig.service({ confidenceScale: 10 });
    const object = indicator(BOTH, {
      labels: ['asyncrat', 'rat'],
      confidence: 85,
      external_references: [{ source_name: 'blog', url: 'https://research.example/asyncrat' }],
    });
    const answer = await submit(slug, [object]);
    assert.deepEqual(outcomeOf(answer).failures, []);
    const [report] = await reportsOf(slug);
    assert.equal(report?.c2Address, 'c2.evil.example:4444');
    assert.equal(report?.file256Hash, SHA256);
    assert.deepEqual(report?.tags, ['asyncrat', 'rat']);
    assert.equal(report?.confidenceScore, 9);
    assert.equal(report?.referenceLink, 'https://research.example/asyncrat');
    assert.equal(report?.reportedBy, researcher.name);
    const stored = await reader.get(`${ROOT}status/${answer.json['id']}/`);
    assert.deepEqual(stored.json, answer.json);
    const { token } = await rig.researcher();
    const path = `${ROOT}status/${answer.json['id']}/`;
    assert.equal((await rig.ask('GET', path, { token })).status, 404);
  });

  it('may be two indicators with the same external id, or with a relationship', async () => {
    const slug = await rig.service();
    const external_references = [{ source_name: 'case', external_id: '7' }];
    const byId = [
      indicator("[ipv6-addr:value = '2a01:db8::7']", {
        external_references,
        name: 'C2 [2a01:db8::7]:8080',
      }),
      indicator(`[file:hashes.'SHA-256' = '${SHA256}']`, { external_references }),
    ];
    const c2 = indicator(
      "[network-traffic:dst_ref.value = '45.7.113.7' AND network-traffic:dst_port = 443]",
    );
    const file = indicator(`[file:hashes.'SHA-256' = '${'cd'.repeat(32)}']`);
    const related = {
      type: 'relationship',
      id: `relationship--${randomUUID()}`,
      relationship_type: 'related-to',
      source_ref: c2.id,
      target_ref: file.id,
    };
    const { failures } = outcomeOf(await submit(slug, [...byId, c2, file, related]));
    assert.deepEqual(failures, []);
    const addresses = (await reportsOf(slug)).map(({ c2Address }) => c2Address);
    assert.deepEqual(addresses.toSorted(), ['45.7.113.7:443', '[2a01:db8::7]:8080']);
  });

  it('is read and deleted by the ids that its status names', async () => {
    const slug = await rig.service();
    const both = indicator(BOTH);
    const external_references = [{ source_name: 'case', external_id: '8' }];
    const pair = [
      indicator("[ipv4-addr:value = '45.7.113.8']", {
        external_references,
        name: 'C2 45.7.113.8:80',
      }),
      indicator(`[file:hashes.'SHA-256' = '${SHA256}']`, { external_references }),
    ];
    const identity = { type: 'identity', id: `identity--${randomUUID()}` };
    const sent = [both, ...pair.map((one) => ({ ...one, created_by_ref: identity.id })), identity];
    const { successes } = outcomeOf(await submit(slug, sent));
    const idsOf = ({ id }: { readonly id: string }) =>
      successes.find((one) => one.id === id)?.x_rapsheet_ids ?? [];
    const [c2 = [], file = []] = pair.map(idsOf);
    assert.deepEqual(
      [both, identity].map(idsOf).map(({ length }) => length),
      [2, 0],
    );
    assert.deepEqual([c2.length, file.length], [1, 1]);
    const path = (id = '') => `${ROOT}collections/${slug}/objects/${id}/`;
    const patternOf = async (id = '') => objectsOf(await reader.get(path(id)))[0]?.pattern;
    assert.equal(await patternOf(c2[0]), pair[0]?.pattern);
    assert.equal(await patternOf(file[0]), pair[1]?.pattern);
    assert.equal(await patternOf(idsOf(both)[0]), "[domain-name:value = 'c2.evil.example']");
    assert.equal((await reader.get(path(both.id))).status, 404);
    for (const id of [idsOf(both)[0], file[0]]) {
      const answer = await rig.ask('DELETE', path(id), { token: researcher.token });
      assert.equal(answer.status, 200, answer.text);
    }
    assert.deepEqual(await reportsOf(slug), []);
    const again = outcomeOf(await submit(slug, [both])).successes[0];
    assert.deepEqual(again?.x_rapsheet_ids, idsOf(both), 'of the report that was deleted');
  });

  it('names the indicators of all reports that share one of a file', async () => {
    const slug = await rig.service();
    const file = indicator(`[file:hashes.'SHA-256' = '${SHA256}']`);
    const c2s = [80, 443].map((port) =>
      indicator(
        `[network-traffic:dst_ref.value = '45.7.113.9' AND network-traffic:dst_port = ${port}]`,
      ),
    );
    const relations = c2s.map(({ id }) => ({
      type: 'relationship',
      id: `relationship--${randomUUID()}`,
      relationship_type: 'related-to',
      source_ref: id,
      target_ref: file.id,
    }));
    const { successes } = outcomeOf(await submit(slug, [file, ...c2s, ...relations]));
    const ids = successes.find(({ id }) => id === file.id)?.x_rapsheet_ids ?? [];
    assert.equal(new Set(ids).size, 2);
    const published = objectsOf(await reader.page(slug)).map(({ id }) => id);
    assert.ok(ids.every((id) => published.includes(id)));
  });

  it('sent again is a success without a second report', async () => {
    const slug = await rig.service();
    const object = indicator(BOTH);
    outcomeOf(await submit(slug, [object]));
    assert.match(outcomeOf(await submit(slug, [object])).successes[0]?.message ?? '', /Already/);
    const twice = outcomeOf(await submit(slug, [object, object]));
    assert.equal(twice.successes.length, 2);
    assert.equal((await reportsOf(slug)).length, 1);
    const changed = { ...object, labels: ['other'] };
    assert.equal(outcomeOf(await submit(slug, [changed])).failures.length, 1);
  });

  for (const profile of ['rich', 'indicators']) {
    it(`accepts what another installation publishes (${profile})`, async () => {
      const [from, to] = [await rig.service(), await rig.service()];
      for (const c2Address of [
        'a.evil.example:1',
        'a.evil.example:2',
        '45.7.113.7:443',
        '[2a01:db8::7]:9',
      ])
        await rig.report(from, researcher.token, { c2Address, tags: ['rat'], confidenceScore: 70 });
      const objects = await reader.all(from, `profile=${profile}&limit=1000`);
      assert.deepEqual(outcomeOf(await submit(to, objects)).failures, []);
      const plain = async (slug: string) =>
        (await reportsOf(slug))
          .map(({ c2Address, file256Hash, tags, confidenceScore }) =>
            JSON.stringify([c2Address, file256Hash, tags, confidenceScore]),
          )
          .toSorted();
      assert.deepEqual(await plain(to), await plain(from));
    });
  }

  it('says of each object what was wrong with it', async () => {
    const slug = await rig.service();
    const cases: readonly (readonly [StixObject, RegExp])[] = [
      [indicator("[ipv4-addr:value = '45.7.113.7']"), /No indicator of a file/],
      [indicator(`[file:hashes.'SHA-256' = '${SHA256}']`), /No indicator of a C2/],
      [indicator("[url:value = 'http://evil.example/']"), /compares url:value/],
      [indicator(BOTH, { revoked: true }), /revoked/],
      [indicator(BOTH, { spec_version: '2.0' }), /spec_version/],
      [indicator(BOTH, { pattern_type: 'snort' }), /pattern_type/],
      [indicator(BOTH.replace('4444', '70000')), /c2Address/],
      [indicator(BOTH.replace(SHA256, 'xyz')), /file256Hash/],
      [indicator(BOTH, { labels: ['x'.repeat(65)] }), /tags/],
      [{ ...indicator(BOTH), type: 'campaign' }, /campaign are not accepted/],
    ];
    const { failures } = outcomeOf(
      await submit(
        slug,
        cases.map(([object]) => object),
      ),
    );
    for (const [{ id }, message] of cases)
      assert.match(failures.find((one) => one.id === id)?.message ?? '', message);
    assert.deepEqual(await reportsOf(slug), []);
  });

  it('may have the type of STIX', async () => {
    const slug = await rig.service();
    for (const type of ['application/stix+json;version=2.1', 'application/taxii+json'])
      outcomeOf(await submit(slug, [indicator(BOTH)], { type }));
  });

  it('is refused as a whole if it cannot be read', async () => {
    const slug = await rig.service();
    const status = async (sent: Sent, objects: readonly unknown[] = [indicator(BOTH)]) =>
      (await submit(slug, objects, sent)).status;
    assert.equal(await status({ type: 'application/json' }), 415);
    assert.equal(await status({ type: 'application/taxii+json;version=2.0' }), 415);
    assert.equal(await status({ payload: '{' }), 400);
    assert.equal(await status({ payload: '[]' }), 422);
    assert.equal(await status({}, []), 422);
    assert.equal(await status({}, [{ type: 'indicator' }]), 422);
    const others = Array.from({ length: 2000 }, (_, index) => ({ id: `a--${index}`, type: 'a' }));
    assert.equal(await status({}, [indicator(BOTH), ...others]), 422);
    assert.equal(await status({}, [indicator(BOTH), ...others.slice(1)]), 202);
    assert.equal(await status({}, others), 422);
    assert.equal(await status({}, [indicator(BOTH, { modified: '2'.repeat(1_000_000) })]), 422);
    assert.equal(await status({}, [indicator(BOTH, { x: Array(70_000).fill({}) })]), 422);
    assert.equal(await status({ payload: `"${'x'.repeat(2 * 1024 * 1024)}"` }), 413);
    assert.equal(await status({ token: (await rig.reader()).token }), 403);
    assert.equal((await submit('all', [indicator(BOTH)])).status, 403);
    assert.equal((await submit('none', [indicator(BOTH)])).status, 404);
  });
});

describe('the limits of submissions', () => {
  const remaining = (accountId: string) => rig.deps.rates.create?.peek(accountId).remaining ?? 0;
  const identities = (count: number) =>
    Array.from({ length: count }, () => ({ id: `identity--${randomUUID()}`, type: 'identity' }));

  it('count every object like a create, accepted or refused', async () => {
    const slug = await rig.service();
    const { token, id } = await rig.researcher();
    const before = remaining(id);
    outcomeOf(await submit(slug, [indicator(BOTH)], { token }));
    assert.equal(before - remaining(id), 1);
    outcomeOf(await submit(slug, [indicator('?'), indicator('?')], { token }));
    assert.equal(before - remaining(id), 3);
    const described = await submit(slug, [indicator(BOTH), ...identities(6)], { token });
    assert.equal(outcomeOf(described).failures.length, 6);
    assert.equal(before - remaining(id), 10);
    assert.equal(described.headers['x-ratelimit-remaining'], String(before - 10));
    for (const [objects, units] of [
      [identities(4), 4],
      [[], 1],
      [[{ type: 'indicator' }, { type: 'indicator' }], 2],
    ] as const) {
      const used = remaining(id);
      assert.equal((await submit(slug, objects, { token })).status, 422);
      assert.equal(used - remaining(id), units);
    }
  });

  it('refuse an envelope of more objects than are left, with the time until they are', async () => {
    const slug = await rig.service();
    const { token, id } = await rig.researcher();
    const { create } = rig.deps.rates;
    const { burst, perMinute } = create.rateOf() ?? assert.fail();
    create.reserve(id, burst - 10);
    const objects = Array.from({ length: 20 }, () => indicator(BOTH));
    const answer = await submit(slug, objects, { token });
    assert.equal(answer.status, 429, answer.text);
    assert.equal(answer.headers['x-error-code'], 'rate_limited');
    assert.equal(answer.json['error_code'], 'rate_limited');
    assert.equal(answer.headers['retry-after'], String(Math.ceil(600 / perMinute)));
    assert.deepEqual(await reportsOf(slug), []);
    assert.equal(outcomeOf(await submit(slug, objects.slice(0, 10), { token })).failures.length, 0);
  });

  it('bound the bytes of the statuses that are kept for an account', async () => {
    const small = await openRig({ accountLimits: { statusBytes: 1000 } });
    after(() => small.close());
    const slug = await small.service();
    const [one, other] = [await small.researcher(), await small.researcher()];
    const send = (token: string) =>
      small.ask('POST', `${ROOT}collections/${slug}/objects/`, {
        token,
        headers: { 'content-type': TAXII, accept: TAXII },
        payload: JSON.stringify({ objects: [indicator(BOTH), indicator(BOTH)] }),
      });
    const answers = [];
    for (let sent = 0; sent < 10; sent += 1) answers.push(await send(one.token));
    const kept = answers.filter(({ status }) => status === 202);
    assert.ok(kept.length > 1 && kept.length < 4, `${kept.length} were kept`);
    const stored = await small.deps.store.submissions.bytesOf(one.id);
    assert.equal(
      stored,
      kept.reduce((sum, { text }) => sum + text.length, 0),
    );
    const refused = answers.at(-1) ?? assert.fail();
    assert.equal(refused.status, 429);
    assert.equal(refused.json['error_code'], 'status_bytes_exceeded');
    assert.match(String(refused.json['description']), /of at most 1000 bytes.* two days/);
    assert.equal(refused.headers['retry-after'], '3600');
    const { json } = await small.ask('GET', `/feed/${slug}/reports`, { token: one.token });
    assert.equal((json['reports'] as readonly unknown[]).length, 2 * kept.length);
    assert.equal((await send(other.token)).status, 202, 'another account is not affected');
    await small.deps.store.submissions.deleteOld(new Date('2100-01-01T00:00:00.000Z'), 100);
    assert.equal((await send(one.token)).status, 202, 'after they were deleted');
  });

  it('cut the messages of a status', async () => {
    const slug = await rig.service();
    const labels = Array.from({ length: 100 }, (_, index) => `${index}${'\u0001'.repeat(200)}`);
    const { failures } = outcomeOf(await submit(slug, [indicator(BOTH, { labels })]));
    assert.ok((failures[0]?.message.length ?? 0) <= 300);
  });
});

describe('a deletion', () => {
  async function published() {
    const slug = await rig.service();
    const id = await rig.report(slug, researcher.token);
    const objects = objectsOf(await reader.page(slug, '?match[type]=indicator'));
    const path = `${ROOT}collections/${slug}/objects/${objects[1]?.id}/`;
    return { slug, id, objects, path };
  }

  it('of one indicator revokes both, for creator and owner', async () => {
    for (const who of ['creator', 'owner']) {
      const { slug, id, path } = await published();
      const token = who === 'creator' ? researcher.token : (await rig.owner(slug)).token;
      const answer = await rig.ask('DELETE', path, { token });
      assert.equal(answer.status, 200);
      assert.equal(answer.text, '');
      assert.equal((await rig.get(slug, id)).status, 404);
      const later = objectsOf(await reader.page(slug, '?match[type]=indicator'));
      assert.deepEqual(
        later.map(({ revoked }) => revoked),
        [true, true],
      );
      assert.equal((await rig.ask('DELETE', path, { token })).status, 404);
    }
  });

  it('is refused to others, and of other objects', async () => {
    const { slug, path, objects } = await published();
    const { token } = await rig.reader();
    assert.equal((await rig.ask('DELETE', path, { token })).status, 403);
    const ofAll = `${ROOT}collections/all/objects/${objects[0]?.id}/`;
    assert.equal((await rig.ask('DELETE', ofAll, { token: researcher.token })).status, 403);
    for (const { id } of (await reader.all(slug, 'profile=rich')).filter(
      ({ type }) => type !== 'indicator',
    )) {
      const other = `${ROOT}collections/${slug}/objects/${id}/`;
      assert.equal((await rig.ask('DELETE', other, { token: researcher.token })).status, 403, id);
    }
    assert.equal((await rig.ask('DELETE', path)).status, 401);
  });
});
