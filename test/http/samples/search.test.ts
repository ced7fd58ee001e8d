import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { sha256Of } from '../../builders.ts';
import { openRig } from '../http-rig.ts';

const rig = await openRig();
after(() => rig.close());

const search = (text: string, more = '', token = rig.admin) =>
  rig.ask('GET', `/api/search?q=${encodeURIComponent(text)}${more}`, { token });

describe('a search', () => {
  it('finds reports in all feeds, with their status', async () => {
    const { token, name } = await rig.researcher();
    const [one, other] = [await rig.service(), await rig.service()];
    const members = { c2Address: 'Found.Example:4444', tags: ['lantern'] };
    const first = await rig.report(one, token, members);
    const second = await rig.report(other, token, { ...members, c2Address: 'found.example:1' });
    const answer = await search('found[.]example:4444');
    assert.equal(answer.status, 200, answer.text);
    assert.equal(answer.json['successful'], true);
    const [exact, partial, ...others] = answer.json['results'] as {
      type: string;
      match: string;
      report: Record<string, unknown>;
    }[];
    assert.deepEqual(others, []);
    assert.deepEqual([exact?.type, exact?.match, exact?.report['id']], ['report', 'c2', first]);
    assert.deepEqual([partial?.match, partial?.report['id']], ['host', second]);
    const { expiresAt, ...report } = exact?.report ?? {};
    assert.equal(typeof expiresAt, 'string');
    assert.deepEqual(report, {
      ...(await rig.fetched(one, first)),
      service: one,
      sequence: 1,
      status: 'open',
      statusReason: null,
      updatedAt: '2026-08-26T10:00:00Z',
      corroboration: 0,
      sightings: 1,
      recurrence: false,
      confirmation: 'unknown',
      misrouted: false,
      routedTo: null,
      knownAs: [],
    });
    assert.match((await search(name)).text, new RegExp(first));
  });

  it('returns of a sample only the SHA-256, the name and the tags with the highest heat, and charges nothing', async () => {
    const tags = [1, 2, 3, 4, 10, 5, 6].map((heat) => ({ heat, name: `TAG${heat}` }));
    const sample = await rig.analyse('a driftwood', { tags, configs: {} });
    const { token } = await rig.reader({ limit: 1, period: 'day' });
    for (const [text, match] of [
      [sample.sha256Hash, 'sha256'],
      [sample.sha512Hash.toUpperCase(), 'sha512'],
      [sample.blake3Hash, 'blake3'],
      [sample.sha1Hash, 'sha1'],
      [sample.mD5Hash, 'md5'],
      ['a driftwood.exe', 'name'],
      ['TaG6', 'tag'],
      ['driftw', 'text'],
    ] as const) {
      const answer = await search(text, '', token);
      assert.deepEqual(answer.json, {
        results: [
          {
            type: 'sample',
            match,
            sha256Hash: sample.sha256Hash,
            fileName: 'a driftwood.exe',
            tags: [10, 6, 5, 4, 3].map((heat) => ({ heat, name: `TAG${heat}` })),
          },
        ],
        hasMore: false,
        successful: true,
      });
      assert.equal(answer.headers['x-ratelimit-remaining'], undefined);
    }
    assert.equal(await rig.unitsLeft(token), 1);
  });

  it('is open to any active account, even with an exhausted quota', async () => {
    const { token } = await rig.reader({ limit: 0, period: 'none' });
    assert.equal((await search('lantern', '', token)).status, 200);
    assert.equal((await rig.ask('GET', '/api/search?q=a')).code, 'token_missing');
  });

  it('may find nothing', async () => {
    const answer = await search(sha256Of('an unknown file'));
    assert.deepEqual(answer.json, { results: [], hasMore: false, successful: true });
  });

  it('returns at most the requested number of results, 25 by default', async () => {
    const { token } = await rig.researcher();
    const service = await rig.service();
    for (let round = 0; round < 27; round += 1)
      await rig.report(service, token, { tags: ['plentiful'] });
    const count = async (more: string) =>
      ((await search('plentiful', more)).json['results'] as unknown[]).length;
    assert.equal(await count(''), 25);
    assert.equal(await count('&limit=1'), 1);
    assert.equal(await count('&limit=100'), 27);
    assert.equal((await search('plentiful')).json['hasMore'], true);
    assert.equal((await search('plentiful', '&limit=27')).json['hasMore'], false);
  });

  it('no longer finds deleted reports', async () => {
    const { token } = await rig.researcher();
    const service = await rig.service();
    const id = await rig.report(service, token, { c2Address: 'gone.below.example:1' });
    assert.match((await search('*.below.example')).text, new RegExp(id));
    await rig.remove(service, id, token);
    assert.deepEqual((await search('*.below.example')).json['results'], []);
  });

  it('treats special characters literally', async () => {
    for (const text of ['" OR "', 'a:b*', "'; drop table report; --", '%', 'NEAR(x)', '100%25'])
      assert.equal((await search(text)).status, 200, text);
  });
});

describe('a search is refused', () => {
  const RULE = 'q must be a text of 1 to 200 visible characters, given once.';
  for (const [query, error] of [
    ['', 'q is missing; it must be a text of 1 to 200 visible characters, given once.'],
    ['?q=', RULE],
    ['?q=%20%20', RULE],
    ['?q=a&q=b', RULE],
    [`?q=${'a'.repeat(201)}`, RULE],
    ['?q=a%00b', RULE],
    ['?q=a%0a', RULE],
    ['?q=%E2%80%AEa', RULE],
    ['?q=a&limit=0', 'limit must be an integer from 1 to 100.'],
    ['?q=a&limit=101', 'limit must be an integer from 1 to 100.'],
    ['?q=a&limit=-1', 'limit must be an integer from 1 to 100.'],
    ['?q=a&limit=x', 'limit must be an integer from 1 to 100.'],
    ['?limit=x&q=', `${RULE} limit must be an integer from 1 to 100.`],
  ] as const) {
    it(`with a clear message: ${query.slice(0, 30)}`, async () => {
      const answer = await rig.ask('GET', `/api/search${query}`, { token: rig.admin });
      assert.equal(answer.status, 400);
      assert.equal(answer.code, 'invalid_query');
      assert.equal(answer.json['error'], error);
    });
  }
});

describe('a search for a list', () => {
  const ask = (body: unknown, token = rig.admin) => rig.ask('POST', '/api/search', { token, body });

  it('answers each line by itself, in order, and charges nothing', async () => {
    const { token } = await rig.researcher();
    const service = await rig.service();
    const id = await rig.report(service, token, { c2Address: 'listed.example:4444' });
    const near = await rig.report(service, token, { c2Address: '198.51.100.200:1' });
    const queries = [
      'hxxp://listed[.]example:4444/gate',
      'two words',
      '',
      '198.51.100.128/25',
      sha256Of('an unknown file'),
      'listed.example',
    ];
    const answer = await ask({ queries });
    assert.equal(answer.status, 200, answer.text);
    const answers = answer.json['answers'] as {
      query: string;
      results: { match: string; report: { id: string } }[];
      hasMore: boolean;
      error?: string;
    }[];
    assert.deepEqual(
      answers.map(({ query }) => query),
      queries,
    );
    assert.deepEqual(
      answers.map(({ results }) => results.map(({ match, report }) => [match, report.id])),
      [[['c2', id]], [], [], [['network', near]], [], [['host', id]]],
    );
    assert.deepEqual(
      answers.map(({ error }) => error !== undefined),
      [false, true, true, false, false, false],
    );
    assert.match(answers[1]?.error ?? '', /^It must be a hash, .* or a network\.$/);
    assert.equal(
      (await rig.ask('POST', '/api/search', { body: { queries } })).code,
      'token_missing',
    );
  });

  it('returns a few results of each line, and says that there are more', async () => {
    const { token } = await rig.researcher();
    const service = await rig.service();
    for (let round = 0; round < 6; round += 1)
      await rig.report(service, token, { c2Address: 'abundant.example:1' });
    const first = async (body: object) => {
      const { answers } = (await ask({ queries: ['abundant.example:1'], ...body })).json;
      const [answer] = answers as { results: unknown[]; hasMore: boolean }[];
      return [answer?.results.length, answer?.hasMore];
    };
    assert.deepEqual(await first({}), [5, true]);
    assert.deepEqual(await first({ limit: 10 }), [6, false]);
  });

  for (const [body, rule] of [
    [{ queries: [] }, 'queries must be a list of 1 to 100 texts.'],
    [{ queries: Array(101).fill('a') }, 'queries must be a list of 1 to 100 texts.'],
    [{ queries: [1] }, 'queries must be a list of 1 to 100 texts.'],
    [{ queries: ['a'], limit: 11 }, 'limit must be an integer from 1 to 10.'],
    [{}, 'queries is missing'],
  ] as const)
    it(`is refused: ${JSON.stringify(body).slice(0, 40)}`, async () => {
      const answer = await ask(body);
      assert.equal(answer.status, 400);
      assert.ok(String(answer.json['error']).includes(rule), answer.text);
    });
});
