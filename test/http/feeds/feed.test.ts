import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { createBody, sha256Of } from '../../builders.ts';
import { BASE_URL, openRig, type WireReport } from '../http-rig.ts';

const rig = await openRig();
after(() => rig.close());

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const NO_SUCH_ID = '01a03d83-2500-7000-8000-000000000000';

const TEN_FIELDS = [
  'id',
  'name',
  'tags',
  'c2Address',
  'reportedAt',
  'reportedBy',
  'file256Hash',
  'firstSeenID',
  'referenceLink',
  'confidenceScore',
];

/** Creates a report with these members in a new feed, and fetches it. */
async function stored(members: Record<string, unknown>, scale = 100): Promise<WireReport> {
  const service = await rig.service({ confidenceScale: scale });
  const { token } = await rig.researcher();
  return rig.fetched(service, await rig.report(service, token, members));
}

/** The error for a body with these members; nothing may be stored. */
async function refused(members: Record<string, unknown>, scale = 100): Promise<string> {
  const service = await rig.service({ confidenceScale: scale });
  const { token } = await rig.researcher();
  let error = '';
  const changes = await rig.changesDuring(service, async () => {
    const answer = await rig.create(service, token, members);
    assert.equal(answer.status, 400, `${JSON.stringify(members)}: ${answer.text}`);
    assert.equal(answer.code, 'invalid_body');
    error = String(answer.json['error']);
  });
  assert.equal(changes, 0);
  return error;
}

describe('creating a report', () => {
  it('returns 201 with the id and the flag, and nothing else', async () => {
    const answer = await rig.create(await rig.service(), (await rig.researcher()).token);
    assert.equal(answer.status, 201);
    assert.deepEqual(Object.keys(answer.json), ['id', 'successful']);
    assert.equal(answer.json['successful'], true);
    assert.match(String(answer.json['id']), UUID_V7);
  });

  it('has the URL of the report in Location, with the configured base URL', async () => {
    const service = await rig.service();
    const { token } = await rig.researcher();
    const answer = await rig.create(service, token);
    const location = answer.headers['location'] ?? '';
    assert.equal(location, `${BASE_URL}/feed/${service}/api?report=${answer.json['id']}`);
    const fetched = await rig.ask('GET', location.slice(BASE_URL.length), { token });
    assert.equal(fetched.status, 200);
  });

  it('assigns ids that start with the current time', async () => {
    const id = await rig.report(await rig.service(), (await rig.researcher()).token);
    const time = Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16);
    assert.equal(time, rig.clock.now().getTime());
  });

  it('sets defaults for missing members', async () => {
    const service = await rig.service();
    const { token, name } = await rig.researcher();
    const hash = sha256Of('defaults');
    const body = { c2Address: 'evil.example:4444', file256Hash: hash };
    const answer = await rig.ask('POST', `/feed/${service}/api`, { token, body });
    const id = answer.json['id'] as string;
    assert.deepEqual(await rig.fetched(service, id), {
      id,
      name: 'unknown',
      tags: [],
      c2Address: 'evil.example:4444',
      reportedAt: '2026-08-26 10:00:00',
      reportedBy: name,
      file256Hash: hash,
      firstSeenID: id,
      referenceLink: `${BASE_URL}/files/${hash}`,
      confidenceScore: 50,
    });
  });

  it('stores every member that is sent', async () => {
    const members = {
      tags: ['asyncrat', 'Rat', 'été 🐀'],
      referenceLink: 'https://research.example/a?b=c#d',
      confidenceScore: 87,
    };
    const report = await stored(members);
    const { tags, referenceLink, confidenceScore } = report;
    assert.deepEqual({ tags, referenceLink, confidenceScore }, members);
  });

  it('ignores the five members that the server assigns, with any value', async () => {
    const service = await rig.service();
    const { token, name } = await rig.researcher();
    const id = await rig.report(service, token, {
      id: NO_SUCH_ID,
      name: ['x'],
      reportedAt: 1,
      reportedBy: 'somebody else',
      firstSeenID: null,
    });
    const report = await rig.fetched(service, id);
    assert.notEqual(report.id, NO_SUCH_ID);
    assert.equal(report.name, 'unknown');
    assert.equal(report.reportedAt, '2026-08-26 10:00:00');
    assert.equal(report.reportedBy, name);
    assert.equal(report.firstSeenID, report.id);
  });

  it('accepts a fetched report unchanged, in another feed', async () => {
    const { token } = await rig.researcher();
    const [from, to] = [await rig.service(), await rig.service()];
    const original = await rig.fetched(from, await rig.report(from, token, { tags: ['x'] }));
    const answer = await rig.ask('POST', `/feed/${to}/api`, { token, body: original });
    const copy = await rig.fetched(to, answer.json['id'] as string);
    assert.deepEqual(copy, { ...original, id: copy.id, firstSeenID: copy.id });
    assert.notEqual(copy.id, original.id);
  });

  it('accepts the same C2 and hash again as another sighting', async () => {
    const service = await rig.service();
    const { token } = await rig.researcher();
    const first = await rig.report(service, token);
    const second = await rig.report(service, token);
    assert.notEqual(first, second);
    assert.equal((await rig.get(service, first)).status, 200);
    assert.equal((await rig.get(service, second)).status, 200);
  });

  it('refuses unknown members, and names them and the known ones', async () => {
    const error = await refused({ tag: ['x'], c2address: 'evil.example:1' });
    assert.match(error, /"tag", "c2address" is not known here/);
    assert.match(error, /c2Address, file256Hash, tags, referenceLink, confidenceScore/);
  });

  it('reports all problems of a body at once, each by the name of its member', async () => {
    const error = await refused({
      c2Address: 1,
      file256Hash: null,
      tags: 'rat',
      referenceLink: 'ftp://x.example/',
      confidenceScore: '9',
      extra: true,
    });
    for (const member of ['c2Address', 'file256Hash', 'tags', 'referenceLink', 'confidenceScore']) {
      assert.match(error, new RegExp(`${member} must be `), member);
    }
    assert.match(error, /"extra" is not known/);
  });

  for (const member of ['c2Address', 'file256Hash']) {
    it(`reports that ${member} is missing, and its rule`, async () => {
      assert.match(
        await refused({ [member]: undefined }),
        new RegExp(`^${member} is missing; it must be `),
      );
    });
  }

  it('answers 401 to a caller without a token', async () => {
    const answer = await rig.ask('POST', `/feed/${await rig.service()}/api`, {
      body: createBody(),
    });
    assert.equal(answer.status, 401);
    assert.equal(answer.code, 'token_missing');
  });

  it('answers 403 to a caller who is no researcher, an admin and an owner included', async () => {
    const service = await rig.service();
    const owner = await rig.account({ services: [service] });
    for (const token of [rig.admin, owner.token]) {
      const answer = await rig.create(service, token);
      assert.equal(answer.status, 403);
      assert.equal(answer.code, 'role_missing');
    }
  });

  it('answers 404 for a service that does not exist', async () => {
    const { token } = await rig.researcher();
    for (const service of ['nobody', 'all', 'UPPER', '-x', 'a'.repeat(64), 'a_b']) {
      const answer = await rig.create(service, token);
      assert.equal(answer.status, 404);
      assert.equal(answer.code, 'unknown_service');
    }
  });
});

describe('the file hash of a report', () => {
  it('is accepted in any case and stored in lower case', async () => {
    const hash = sha256Of('case');
    assert.equal((await stored({ file256Hash: hash.toUpperCase() })).file256Hash, hash);
  });

  for (const [what, hash] of Object.entries({
    'a digit short': sha256Of('x').slice(1),
    'a digit long': `${sha256Of('x')}0`,
    'not hexadecimal': `g${sha256Of('x').slice(1)}`,
    'a SHA-512': sha256Of('x').repeat(2),
    'with a blank': ` ${sha256Of('x')}`,
    empty: '',
  })) {
    it(`is refused when it is ${what}`, async () => {
      assert.match(await refused({ file256Hash: hash }), /file256Hash must be a SHA-256/);
    });
  }
});

describe('the C2 address of a report', () => {
  for (const [given, kept] of [
    ['203.0.113.7:443', '203.0.113.7:443'],
    ['10.0.0.1:65535', '10.0.0.1:65535'],
    ['1.2.3[.]4:443', '1.2.3.4:443'],
    ['evil[.]example:80', 'evil.example:80'],
    ['Evil.Example:1', 'evil.example:1'],
    ['localhost:8080', 'localhost:8080'],
    ['_c2.ply.example:9', '_c2.ply.example:9'],
    ['[2001:DB8:0:0:0:0:0:7]:443', '[2001:db8::7]:443'],
    ['[::ffff:1.2.3.4]:1', '[::ffff:102:304]:1'],
    ['bücher.example:443', 'xn--bcher-kva.example:443'],
  ]) {
    it(`${given} is stored as ${kept}`, async () => {
      assert.equal((await stored({ c2Address: given })).c2Address, kept);
    });
  }

  for (const given of [
    '',
    ':443',
    'evil.example',
    'evil.example:',
    'evil.example:0',
    'evil.example:65536',
    'evil.example:0443',
    'evil.example:+443',
    'evil.example: 443',
    'evil.example:443 ',
    'evil.example.:443',
    'evil..example:443',
    '*.example:443',
    'http://evil.example:443',
    'user@evil.example:443',
    'evil.example/x:443',
    '01.2.3.4:443',
    '1.2.3:443',
    '256.1.1.1:443',
    '2001:db8::7:443',
    '[2001:db8::7]',
    '[2001:db8::g]:1',
    '[fe80::1%eth0]:1',
    'evil.1:443',
    'evil.0x1f:443',
    'evil\u0000.example:443',
    'evil%2eexample:443',
    `${'a'.repeat(64)}.example:443`,
    `${'a.'.repeat(130)}example:443`,
  ]) {
    it(`${JSON.stringify(given.slice(0, 40))} is refused`, async () => {
      assert.match(await refused({ c2Address: given }), /c2Address must be "<host>:<port>"/);
    });
  }
});

describe('the tags of a report', () => {
  it('are stored once, in the order of their first occurrence', async () => {
    const service = await rig.service();
    const { token } = await rig.researcher();
    const tags = ['rat', 'x', 'rat', 'RAT', 'x'];
    const bodies = [createBody({ tags }), createBody({ tags, c2Address: 'EVIL[.]example:4444' })];
    const bulk = await rig.bulk(service, token, bodies);
    const ids = bulk.text
      .trim()
      .split('\n')
      .map((line) => String(JSON.parse(line).id));
    for (const body of bodies) ids.push(await rig.report(service, token, body));
    for (const id of ids)
      assert.deepEqual((await rig.fetched(service, id)).tags, ['rat', 'x', 'RAT']);
    const preview = await rig.ask('POST', `/feed/${service}/preview`, { token, body: bodies[0] });
    assert.match(preview.text, /"tags":\["rat","x","RAT"\]/);
  });

  it('that are repeated make another call with the same Idempotency-Key', async () => {
    const service = await rig.service();
    const { token } = await rig.researcher();
    const headers = { 'idempotency-key': 'one' };
    const twice = { tags: ['rat', 'rat'] };
    assert.equal((await rig.create(service, token, twice, headers)).status, 201);
    const again = await rig.create(service, token, twice, headers);
    assert.equal(again.headers['idempotent-replayed'], 'true');
    assert.equal((await rig.create(service, token, { tags: ['rat'] }, headers)).status, 422);
  });

  it('may be 32 of 64 characters', async () => {
    const tags = Array.from({ length: 32 }, (_, index) => `${index}`.padEnd(64, 'x'));
    assert.deepEqual((await stored({ tags })).tags, tags);
  });

  it('are counted in characters, not in code units', async () => {
    const tags = ['🐀'.repeat(64)];
    assert.deepEqual((await stored({ tags })).tags, tags);
  });

  for (const [what, tags] of Object.entries({
    '33 of them': Array.from({ length: 33 }, () => 'x'),
    'an empty one': [''],
    'a blank one': [' '],
    'one of 65 characters': ['x'.repeat(65)],
    'a line end': ['a\nb'],
    'a control character': ['a\u0007'],
    'a zero-width space': ['a\u200bb'],
    'a direction override': ['a\u202eb'],
    'half a character': ['\ud800'],
    'a number': [1],
    'no list': 'x',
    'a list in a list': [['x']],
    null: null,
  })) {
    it(`are refused with ${what}`, async () => {
      assert.match(await refused({ tags }), /tags must be a list of at most 32 texts/);
    });
  }
});

describe('the reference link of a report', () => {
  it('may have 2048 characters', async () => {
    const referenceLink = 'https://x.example/'.padEnd(2048, 'x');
    assert.equal((await stored({ referenceLink })).referenceLink, referenceLink);
  });

  for (const [what, referenceLink] of Object.entries({
    'of 2049 characters': 'https://x.example/'.padEnd(2049, 'x'),
    'of another scheme': 'javascript:alert(1)',
    'of a file': 'file:///etc/passwd',
    'with a user name': 'https://user@x.example/',
    'with a password': 'https://user:password@x.example/',
    'without a host': 'https://',
    'with a blank': 'https://x.example/a b',
    'with a line end': 'https://x.example/\n',
    'that is relative': '/files/x',
    'that is empty': '',
    'that is null': null,
  })) {
    it(`is refused when it is one ${what}`, async () => {
      assert.match(await refused({ referenceLink }), /referenceLink must be an http or https URL/);
    });
  }
});

describe('the confidence of a report', () => {
  for (const [scale, fallback] of [
    [100, 50],
    [10, 5],
    [5, 2],
    [1, 0],
  ] as const) {
    it(`is ${fallback} by default on a scale of ${scale}`, async () => {
      assert.equal((await stored({}, scale)).confidenceScore, fallback);
    });

    it(`may be 0 and ${scale} on a scale of ${scale}, and not beyond`, async () => {
      assert.equal((await stored({ confidenceScore: 0 }, scale)).confidenceScore, 0);
      assert.equal((await stored({ confidenceScore: scale }, scale)).confidenceScore, scale);
      for (const confidenceScore of [scale + 1, -1]) {
        assert.match(
          await refused({ confidenceScore }, scale),
          new RegExp(`confidenceScore must be an integer from 0 to ${scale}\\.`),
        );
      }
    });
  }

  it('is 0 when it is minus zero', async () => {
    const service = await rig.service();
    const { token } = await rig.researcher();
    const payload = JSON.stringify(createBody({ confidenceScore: 7 })).replace(':7', ':-0');
    const answer = await rig.ask('POST', `/feed/${service}/api`, {
      token,
      headers: { 'content-type': 'application/json' },
      payload,
    });
    const { text } = await rig.get(service, answer.json['id'] as string);
    assert.match(text, /"confidenceScore":0[,}]/);
  });

  for (const confidenceScore of [0.5, '50', true, null, [50], 1e300]) {
    it(`is refused when it is ${JSON.stringify(confidenceScore)}`, async () => {
      assert.match(await refused({ confidenceScore }), /confidenceScore must be an integer/);
    });
  }
});

describe('the first sighting of a C2', () => {
  const c2Address = 'seen.example:1';

  it('is the report itself if there is no earlier one', async () => {
    const report = await stored({ c2Address });
    assert.equal(report.firstSeenID, report.id);
  });

  it('is the oldest report of that C2, in any spelling and from any reporter', async () => {
    const service = await rig.service();
    const [one, other] = [await rig.researcher(), await rig.researcher()];
    const first = await rig.report(service, one.token, { c2Address });
    await rig.report(service, other.token, { c2Address: 'Seen[.]Example:1' });
    const third = await rig.report(service, other.token, {
      c2Address,
      file256Hash: sha256Of('other'),
    });
    assert.equal((await rig.fetched(service, third)).firstSeenID, first);
  });

  it('is separate for another port or another feed', async () => {
    const [service, elsewhere] = [await rig.service(), await rig.service()];
    const { token } = await rig.researcher();
    await rig.report(service, token, { c2Address });
    const otherPort = await rig.report(service, token, { c2Address: 'seen.example:2' });
    assert.equal((await rig.fetched(service, otherPort)).firstSeenID, otherPort);
    const otherFeed = await rig.report(elsewhere, token, { c2Address });
    assert.equal((await rig.fetched(elsewhere, otherFeed)).firstSeenID, otherFeed);
  });

  it('is the oldest remaining report, for reports after a deletion', async () => {
    const service = await rig.service();
    const { token } = await rig.researcher();
    const first = await rig.report(service, token, { c2Address });
    const second = await rig.report(service, token, { c2Address });
    await rig.remove(service, first, token);
    const third = await rig.report(service, token, { c2Address });
    assert.equal((await rig.fetched(service, third)).firstSeenID, second);
  });

  it('stays unchanged when that report is deleted', async () => {
    const service = await rig.service();
    const { token } = await rig.researcher();
    const first = await rig.report(service, token, { c2Address });
    const second = await rig.report(service, token, { c2Address });
    await rig.remove(service, first, token);
    assert.equal((await rig.fetched(service, second)).firstSeenID, first);
  });

  it('is the report itself again when all earlier ones are deleted', async () => {
    const service = await rig.service();
    const { token } = await rig.researcher();
    await rig.remove(service, await rig.report(service, token, { c2Address }), token);
    const next = await rig.report(service, token, { c2Address });
    assert.equal((await rig.fetched(service, next)).firstSeenID, next);
  });
});

describe('fetching a report', () => {
  it('answers 200 with the report and the flag, and nothing else', async () => {
    const service = await rig.service();
    const { token } = await rig.researcher();
    const id = await rig.report(service, token);
    const answer = await rig.get(service, id, token);
    assert.equal(answer.status, 200);
    assert.deepEqual(Object.keys(answer.json), ['report', 'successful']);
    assert.equal(answer.json['successful'], true);
  });

  it('has the ten fields of the specification, and no more', async () => {
    const service = await rig.service();
    const id = await rig.report(service, (await rig.researcher()).token);
    assert.deepEqual(Object.keys(await rig.fetched(service, id)), TEN_FIELDS);
  });

  it('is open to any active account', async () => {
    const service = await rig.service();
    const id = await rig.report(service, (await rig.researcher()).token);
    assert.equal((await rig.get(service, id, (await rig.reader()).token)).status, 200);
  });

  it('accepts the id in any case', async () => {
    const service = await rig.service();
    const id = await rig.report(service, (await rig.researcher()).token);
    assert.equal((await rig.get(service, id.toUpperCase())).status, 200);
  });

  it('ignores other parameters', async () => {
    const service = await rig.service();
    const id = await rig.report(service, (await rig.researcher()).token);
    assert.equal((await rig.get(service, `${id}&utm=x`)).status, 200);
  });

  it('returns the same 404 for an unknown id, a deleted one and one of another feed', async () => {
    const [service, elsewhere] = [await rig.service(), await rig.service()];
    const { token } = await rig.researcher();
    const deleted = await rig.report(service, token);
    await rig.remove(service, deleted, token);
    const foreign = await rig.report(elsewhere, token);
    const [unknown, ...others] = await Promise.all(
      [NO_SUCH_ID, deleted, foreign].map((id) => rig.get(service, id)),
    );
    assert.equal(unknown?.status, 404);
    assert.equal(unknown.code, 'unknown_report');
    for (const other of others) {
      assert.equal(other.text, unknown.text);
      assert.deepEqual(
        { ...other.headers, 'x-request-id': '', date: '' },
        { ...unknown.headers, 'x-request-id': '', date: '' },
      );
    }
  });

  it('answers 404 for a service that does not exist', async () => {
    const answer = await rig.get('nobody', NO_SUCH_ID);
    assert.equal(answer.status, 404);
    assert.equal(answer.code, 'unknown_service');
  });

  it('answers 401 to a caller without a token', async () => {
    const answer = await rig.ask('GET', `/feed/${await rig.service()}/api?report=${NO_SUCH_ID}`);
    assert.equal(answer.status, 401);
  });

  for (const [what, query] of Object.entries({
    'no id': '',
    'another parameter': '?id=x',
    'an empty id': '?report=',
    'a malformed id': '?report=x',
    'an id with an extra character': `?report=${NO_SUCH_ID}0`,
    'two ids': `?report=${NO_SUCH_ID}&report=${NO_SUCH_ID}`,
    'a list': `?report[]=${NO_SUCH_ID}`,
  })) {
    it(`answers 400 and names the parameter for ${what}`, async () => {
      const answer = await rig.ask('GET', `/feed/${await rig.service()}/api${query}`, {
        token: rig.admin,
      });
      assert.equal(answer.status, 400);
      assert.equal(answer.code, 'invalid_query');
      assert.match(String(answer.json['error']), /^report (?:is missing; it )?must be the id/);
    });
  }
});

describe('deleting a report', () => {
  it('answers 200 with a message and the flag named success, and nothing else', async () => {
    const service = await rig.service();
    const { token } = await rig.researcher();
    const id = await rig.report(service, token);
    const answer = await rig.remove(service, id, token);
    assert.equal(answer.status, 200);
    assert.deepEqual(answer.json, { message: `Report ${id} was deleted.`, success: true });
  });

  it('is one change of the feed', async () => {
    const service = await rig.service();
    const { token } = await rig.researcher();
    const id = await rig.report(service, token);
    assert.equal(await rig.changesDuring(service, () => rig.remove(service, id, token)), 1);
  });

  it('is allowed for its creator, with any token of the account', async () => {
    const service = await rig.service();
    const { token } = await rig.researcher();
    const id = await rig.report(service, token);
    const issued = await rig.ask('POST', '/api/tokens', { token });
    const answer = await rig.remove(service, id, String(issued.json['token']));
    assert.equal(answer.status, 200);
  });

  it('is allowed for its creator even without the researcher role', async () => {
    const service = await rig.service();
    const { token, id: account } = await rig.researcher();
    const id = await rig.report(service, token);
    await rig.ask('PATCH', `/admin/accounts/${account}`, {
      token: rig.admin,
      body: { roles: [] },
    });
    assert.equal((await rig.remove(service, id, token)).status, 200);
  });

  it('is allowed for an owner of the feed', async () => {
    const service = await rig.service();
    const id = await rig.report(service, (await rig.researcher()).token);
    const owner = await rig.account({ services: [service] });
    assert.equal((await rig.remove(service, id, owner.token)).status, 200);
    assert.equal((await rig.get(service, id)).status, 404);
  });

  it('is forbidden for another researcher, an owner of another feed and an admin', async () => {
    const [service, elsewhere] = [await rig.service(), await rig.service()];
    const id = await rig.report(service, (await rig.researcher()).token);
    const researcher = await rig.researcher();
    const stranger = await rig.account({ services: [elsewhere] });
    for (const token of [researcher.token, stranger.token, rig.admin]) {
      const answer = await rig.remove(service, id, token);
      assert.equal(answer.status, 403);
      assert.equal(answer.code, 'not_creator_or_owner');
      assert.equal(answer.headers['www-authenticate'], undefined);
    }
    assert.equal((await rig.get(service, id)).status, 200);
  });

  it('is forbidden for a former owner of the feed', async () => {
    const service = await rig.service();
    const id = await rig.report(service, (await rig.researcher()).token);
    const owner = await rig.account({ services: [service] });
    assert.equal((await rig.remove(service, NO_SUCH_ID, owner.token)).status, 404);
    await rig.ask('PATCH', `/admin/accounts/${owner.id}`, {
      token: rig.admin,
      body: { services: [] },
    });
    assert.equal((await rig.remove(service, id, owner.token)).status, 403);
  });

  it('does not affect another feed, for an owner of this one', async () => {
    const [service, elsewhere] = [await rig.service(), await rig.service()];
    const id = await rig.report(elsewhere, (await rig.researcher()).token);
    const owner = await rig.account({ services: [service] });
    assert.equal((await rig.remove(service, id, owner.token)).status, 404);
    assert.equal((await rig.get(elsewhere, id)).status, 200);
  });

  it('returns the same 404 for an unknown id, a deleted one and one of another feed', async () => {
    const [service, elsewhere] = [await rig.service(), await rig.service()];
    const { token } = await rig.researcher();
    const deleted = await rig.report(service, token);
    await rig.remove(service, deleted, token);
    const foreign = await rig.report(elsewhere, token);
    const answers = await Promise.all(
      [NO_SUCH_ID, deleted, foreign].map((id) => rig.remove(service, id, token)),
    );
    for (const { status, code, text } of answers) {
      assert.equal(status, 404);
      assert.equal(code, 'unknown_report');
      assert.equal(text, answers[0]?.text);
    }
  });

  it('happens once for concurrent requests', async () => {
    const service = await rig.service();
    const { token } = await rig.researcher();
    const id = await rig.report(service, token);
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => rig.remove(service, id, token)),
    );
    const statuses = answers.map(({ status }) => status).sort();
    assert.deepEqual(statuses, [200, ...Array.from({ length: 9 }, () => 404)]);
  });

  it('answers 401 to a caller without a token', async () => {
    const answer = await rig.ask('DELETE', `/feed/${await rig.service()}/api?report=${NO_SUCH_ID}`);
    assert.equal(answer.status, 401);
  });

  it('answers 404 for a service that does not exist', async () => {
    const answer = await rig.remove('nobody', NO_SUCH_ID, rig.admin);
    assert.equal(answer.code, 'unknown_service');
  });

  for (const query of ['', '?report=', '?report=x', `?report=${NO_SUCH_ID}&report=x`]) {
    it(`answers 400 and names the parameter for ${query || 'no query'}`, async () => {
      const url = `/feed/${await rig.service()}/api${query}`;
      const answer = await rig.ask('DELETE', url, { token: rig.admin });
      assert.equal(answer.status, 400);
      assert.equal(answer.code, 'invalid_query');
      assert.match(String(answer.json['error']), /^report /);
    });
  }

  it('ignores a content type without a body, and a body', async () => {
    const service = await rig.service();
    const { token } = await rig.researcher();
    for (const [type, payload] of [
      ['application/json', ''],
      ['application/json', '{'],
      ['text/plain', 'x'],
    ] as const) {
      const url = `/feed/${service}/api?report=${await rig.report(service, token)}`;
      const headers = { 'content-type': type };
      const answer = await rig.ask('DELETE', url, { token, headers, payload });
      assert.equal(answer.status, 200, answer.text);
    }
  });
});
