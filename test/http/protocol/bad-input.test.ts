import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { createBody, sha256Of } from '../../builders.ts';
import type { Answer } from '../contract.ts';
import { openRig, ownRig } from '../http-rig.ts';

const rig = await openRig();
after(() => rig.close());

const JSON_TYPE = { 'content-type': 'application/json' };
const GOOD = JSON.stringify(createBody());
const BODY_LIMIT = 64 * 1024;

/** The other routes that take a JSON body. */
const TAKE_JSON = [
  ['POST', '/api/tokens'],
  ['POST', '/admin/services'],
  ['PATCH', '/admin/services/x'],
  ['POST', '/admin/accounts'],
  ['PATCH', '/admin/accounts/admin'],
  ['POST', '/admin/accounts/admin/tokens'],
  ['POST', '/admin/accounts/admin/links'],
] as const;

/** Posts the body to a new feed, and returns the response and the number of its reports. */
async function post(
  payload: string | Buffer,
  headers: Record<string, string> = JSON_TYPE,
): Promise<{ answer: Answer; stored: number }> {
  const service = await rig.service();
  const { token } = await rig.researcher();
  const answers: Answer[] = [];
  const stored = await rig.changesDuring(service, async () => {
    answers.push(await rig.ask('POST', `/feed/${service}/api`, { token, headers, payload }));
  });
  const [answer] = answers;
  assert.ok(answer);
  return { answer, stored };
}

describe('a body that is no JSON object', () => {
  for (const [what, payload] of Object.entries({
    empty: '',
    'cut off': GOOD.slice(0, -1),
    'followed by more': `${GOOD}${GOOD}`,
    'with a comma too many': GOOD.replace('}', ',}'),
    'with single quotes': GOOD.replaceAll('"', "'"),
    'with NaN': GOOD.replace('}', ',"confidenceScore":NaN}'),
    'with a comment': `/* x */${GOOD}`,
    'with a raw line end in a text': GOOD.replace('evil', 'ev\nil'),
    'with __proto__': GOOD.replace('}', ',"__proto__":{"tags":["x"]}}'),
    'with an escaped __proto__': GOOD.replace('}', ',"\\u005f_proto__":{"tags":["x"]}}'),
    'with a constructor that has a prototype': GOOD.replace(
      '}',
      ',"constructor":{"prototype":{"x":1}}}',
    ),
    'a form': 'c2Address=evil.example%3A4444',
    'a null byte': '\u0000',
  })) {
    it(`is refused as malformed when it is ${what}`, async () => {
      const { answer, stored } = await post(payload);
      assert.equal(answer.status, 400);
      assert.equal(answer.code, 'malformed_json');
      assert.equal(stored, 0);
      assert.equal(Object.hasOwn(Object.prototype, 'tags'), false);
    });
  }

  for (const payload of ['null', '[]', `[${GOOD}]`, '"x"', '1', 'true', '[[[]]]']) {
    it(`is refused when it is ${payload.slice(0, 12)}`, async () => {
      const { answer, stored } = await post(payload);
      assert.equal(answer.status, 400);
      assert.equal(answer.code, 'invalid_body');
      assert.match(String(answer.json['error']), /must be a JSON object/);
      assert.equal(stored, 0);
    });
  }

  it('is refused when there is none', async () => {
    const { token } = await rig.researcher();
    const answer = await rig.ask('POST', `/feed/${await rig.service()}/api`, { token });
    assert.equal(answer.status, 400);
  });

  for (const [what, bytes] of Object.entries({
    'a lone byte': [0xff],
    'a cut character': [0xe2, 0x82],
    'an overlong slash': [0xc0, 0xaf],
    'half a pair': [0xed, 0xa0, 0x80],
  })) {
    it(`is refused when it is not UTF-8 but has ${what}`, async () => {
      const [before, behind] = JSON.stringify(createBody({ tags: ['|'] })).split('|');
      const payload = Buffer.concat([
        Buffer.from(before ?? ''),
        Buffer.from(bytes),
        Buffer.from(behind ?? ''),
      ]);
      const { answer, stored } = await post(payload);
      assert.equal(answer.code, 'malformed_json');
      assert.equal(stored, 0);
    });
  }

  it('is refused in UTF-16', async () => {
    const { answer } = await post(Buffer.from(GOOD, 'utf16le'));
    assert.equal(answer.status, 400);
  });

  it('may start with a byte order mark, which is ignored', async () => {
    const { answer, stored } = await post(`\ufeff${GOOD}`);
    assert.equal(answer.status, 201);
    assert.equal(stored, 1);
  });
});

describe('null as a body', () => {
  it('is refused wherever an object is expected, even where a body is optional', async () => {
    const service = await rig.service();
    const roles = ['researcher', 'admin'];
    const { json } = await rig.ask('POST', '/admin/accounts', {
      token: rig.admin,
      body: { name: rig.fresh('all'), roles, services: [service] },
    });
    const token = String(json['token']);
    const { paths = {} } = rig.app.swagger() as { paths?: Record<string, object> };
    let refused = 0;
    for (const [path, operations] of Object.entries(paths))
      for (const [method, operation] of Object.entries(operations)) {
        if (operation.requestBody?.content['application/json'] === undefined) continue;
        const url = path.replace('{service}', service).replace(/\{\w+\}/g, 'x');
        // Answers with status 200 and its own code.
        if (url === '/threatfox/api/v1') continue;
        const answer = await rig.ask(method.toUpperCase(), url, { token, body: null });
        assert.deepEqual([answer.status, answer.code], [400, 'invalid_body'], answer.text);
        assert.match(String(answer.json['error']), /must be a JSON object/);
        refused++;
      }
    assert.ok(refused > 15, `${refused} were refused`);
    const tokens = await rig.ask('GET', '/api/tokens', { token });
    assert.equal((tokens.json['tokens'] as unknown[]).length, 1);
  });

  it('is accepted where no body is expected', async () => {
    const { token } = await rig.reader();
    const answer = await rig.ask('POST', '/feed/all/stream/tickets', { token, body: null });
    assert.equal(answer.status, 201);
  });
});

describe('a body with excessive content', () => {
  for (const [what, tower] of Object.entries({
    lists: ['['.repeat(30_000), ']'.repeat(30_000)],
    objects: ['{"a":'.repeat(10_000), '1}'.padEnd(10_001, '}')],
  })) {
    it(`is refused when it has deeply nested ${what}, in any member`, async () => {
      const deep = tower.join('');
      for (const payload of [
        deep,
        GOOD.replace('}', `,"tags":${deep}}`),
        GOOD.replace('}', `,"extra":${deep}}`),
        GOOD.replace('"evil.example:4444"', deep),
      ]) {
        const { answer, stored } = await post(payload);
        assert.equal(answer.status, 400);
        assert.equal(stored, 0);
      }
    });
  }

  it('is refused even if the nested value is in an ignored member', async () => {
    const nested = (depth: number) =>
      `${'['.repeat(depth)}"${'x'.repeat(2000)}"${']'.repeat(depth)}`;
    const { answer } = await post(GOOD.replace('}', `,"id":${nested(64)}}`));
    assert.equal(answer.status, 400);
    assert.match(answer.text, /at most 64 levels deep/);
    const { answer: accepted } = await post(GOOD.replace('}', `,"id":${nested(63)}}`));
    assert.equal(accepted.status, 201);
  });

  it('names members called like properties of every object', async () => {
    for (const name of ['constructor', 'toString', 'hasOwnProperty', '__defineGetter__', '']) {
      const { answer, stored } = await post(GOOD.replace('}', `,${JSON.stringify(name)}:1}`));
      assert.equal(answer.status, 400);
      assert.ok(String(answer.json['error']).startsWith(`${JSON.stringify(name)} is not known`));
      assert.equal(stored, 0);
    }
  });

  it('names unknown members without quoting misleading text', async () => {
    const name = `a\u0007\n"${'x'.repeat(500)}`;
    const { answer } = await post(JSON.stringify(createBody({ [name]: 1 })));
    assert.equal(answer.status, 400);
    assert.doesNotMatch(String(answer.json['error']), /\p{Cc}|x{100}/u);
  });

  it('is refused when it has very many members', async () => {
    const many = Object.fromEntries(Array.from({ length: 4000 }, (_, index) => [`m${index}`, 1]));
    const { answer, stored } = await post(JSON.stringify(createBody(many)));
    assert.equal(answer.status, 400);
    assert.equal(stored, 0);
  });

  it('uses the last of two members with one name', async () => {
    const { answer } = await post(GOOD.replace('}', ',"c2Address":"x"}'));
    assert.match(String(answer.json['error']), /^c2Address must be/);
  });
});

describe('the size of a body', () => {
  it('may be the limit', async () => {
    const { answer } = await post(GOOD.padEnd(BODY_LIMIT, ' '));
    assert.equal(answer.status, 201);
  });

  it('is refused with 413 above it, and the limit is stated', async () => {
    const { answer, stored } = await post(GOOD.padEnd(BODY_LIMIT + 1, ' '));
    assert.equal(answer.status, 413);
    assert.equal(answer.code, 'body_too_large');
    assert.match(String(answer.json['error']), new RegExp(`the limit is ${BODY_LIMIT} bytes`));
    assert.equal(stored, 0);
  });

  it('is refused with 413 above it on every route with a body', async () => {
    const payload = 'x'.repeat(BODY_LIMIT + 1);
    for (const [method, url] of TAKE_JSON) {
      const asked = { token: rig.admin, headers: JSON_TYPE, payload };
      assert.equal((await rig.ask(method, url, asked)).status, 413, url);
    }
  });

  it('is refused when it differs from Content-Length', async () => {
    const { answer, stored } = await post(GOOD, { ...JSON_TYPE, 'content-length': '10' });
    assert.equal(answer.status, 400);
    assert.equal(answer.code, 'malformed_request');
    assert.equal(stored, 0);
  });
});

describe('the type of a body', () => {
  for (const type of [
    'application/json',
    'Application/JSON',
    'application/json;charset=utf-8',
    'application/json; charset="UTF-8"',
    'application/json; charset=utf8',
    'application/json; profile=x',
  ]) {
    it(`may be ${type}`, async () => {
      assert.equal((await post(GOOD, { 'content-type': type })).answer.status, 201);
    });
  }

  for (const type of [
    'text/plain',
    'text/json',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/jsonx',
    'application/vnd.api+json',
    'application/json, text/plain',
    'application/json; charset=iso-8859-1',
    'application/json; charset=utf-16',
    'application',
    '/',
    'x'.repeat(5000),
    '',
  ]) {
    it(`is refused with 415 when it is ${JSON.stringify(type.slice(0, 40))}`, async () => {
      const { answer, stored } = await post(GOOD, { 'content-type': type });
      assert.equal(answer.status, 415);
      assert.equal(answer.code, 'unsupported_media_type');
      assert.match(String(answer.json['error']), /application\/json, in UTF-8/);
      assert.equal(stored, 0);
    });
  }

  it('is refused with 415 when none is stated', async () => {
    const { answer, stored } = await post(GOOD, {});
    assert.equal(answer.status, 415);
    assert.equal(stored, 0);
  });

  it('is refused with 415 when the body is compressed', async () => {
    const headers = { ...JSON_TYPE, 'content-encoding': 'gzip' };
    for (const payload of [gzipSync(GOOD), GOOD]) {
      const { answer, stored } = await post(payload, headers);
      assert.equal(answer.status, 415);
      assert.equal(stored, 0);
    }
  });

  it('is refused with 415 on every route with a body', async () => {
    const headers = { 'content-type': 'text/plain' };
    for (const [method, url] of TAKE_JSON) {
      const answer = await rig.ask(method, url, { token: rig.admin, headers, payload: '{}' });
      assert.equal(answer.status, 415, url);
    }
  });

  it('may state that it is not compressed', async () => {
    const headers = { ...JSON_TYPE, 'content-encoding': 'identity' };
    assert.equal((await post(GOOD, headers)).answer.status, 201);
  });
});

describe('a URL', () => {
  const id = '01a03d83-2500-7000-8000-000000000000';

  for (const slug of [
    '%00',
    '%0a',
    '%2e%2e',
    '..',
    'a%2Fb',
    '%2525',
    '%20',
    "x'--",
    '%F0%9F%90%80',
    '%C0%AF',
    '%ff',
    'ALL',
    'x;y=z',
    '__proto__',
    'constructor',
    'x'.repeat(5000),
  ]) {
    it(`with the service ${slug.slice(0, 20)} finds none`, async () => {
      const { token } = await rig.researcher();
      const create = await rig.create(slug, token);
      const fetch = await rig.get(slug, id);
      for (const { status, code } of [create, fetch]) {
        assert.ok(status === 404 || status === 400, String(status));
        assert.match(code ?? '', /^(?:unknown_service|unknown_route|malformed_request)$/);
      }
    });
  }

  it('with a percent-encoded service finds the decoded service', async () => {
    const service = await rig.service();
    const { token } = await rig.researcher();
    const report = await rig.report(service, token);
    const spelt = [...service].map((sign) => `%${sign.charCodeAt(0).toString(16)}`).join('');
    assert.equal((await rig.get(spelt, report)).status, 200);
  });

  for (const hash of [
    '%00',
    '%2e%2e%2f%2e%2e',
    '%2F',
    "' or 1=1 --",
    '%25',
    '%F0%9F%90%80',
    '*',
    `${'a'.repeat(64)}%00`,
    `${'a'.repeat(64)}%0A`,
    `+${'a'.repeat(63)}`,
    `0x${'a'.repeat(62)}`,
    'a'.repeat(10_000),
  ]) {
    it(`with the hash ${hash.slice(0, 20)} is charged and refused`, async () => {
      const { token } = await rig.reader({ limit: 5, period: 'day' });
      const answer = await rig.lookUp(hash.replaceAll(' ', '%20'), token);
      assert.equal(answer.code, 'invalid_hash');
      assert.equal(await rig.unitsLeft(token), 4);
    });
  }

  for (const url of ['/private/sample/%', '/private/sample/%g0', '/feed/%zz/api', '/%']) {
    it(`${url} that cannot be decoded is refused`, async () => {
      const answer = await rig.ask('GET', url, { token: rig.admin });
      assert.equal(answer.status, 400);
      assert.equal(answer.code, 'malformed_request');
    });
  }

  it('with too long a segment is refused', async () => {
    const answer = await rig.lookUp('a'.repeat(20_000), rig.admin);
    assert.equal(answer.status, 400);
  });

  for (const query of [
    'report=%zz',
    'report=%00',
    `report=${id}%00`,
    `report=${id}%0a`,
    `report=%20${id}`,
    `report[]=${id}`,
    `report[a]=${id}`,
    `report=${id}&report=${id}`,
    `report=${id},${id}`,
    `Report=${id}`,
    'report=__proto__',
    '__proto__[report]=x',
    `report=${'x'.repeat(8000)}`,
    '&&&===',
    `?report=${id}`,
  ]) {
    it(`with the query ${query.slice(0, 30)} is refused, and the error names the parameter`, async () => {
      const service = await rig.service();
      for (const method of ['GET', 'DELETE']) {
        const url = `/feed/${service}/api?${query}`;
        const answer = await rig.ask(method, url, { token: rig.admin });
        assert.equal(answer.status, 400);
        assert.match(String(answer.json['error']), /^report /);
      }
    });
  }
});

describe('any input', () => {
  const member = fc.constantFrom(
    'c2Address',
    'file256Hash',
    'tags',
    'referenceLink',
    'confidenceScore',
    'id',
    'name',
    '__proto__',
    'x',
  );
  const value = fc.oneof(
    fc.jsonValue({ maxDepth: 3 }),
    fc.string({ unit: 'binary' }),
    fc.constant('evil.example:4444'),
    fc.constant(sha256Of('x')),
    fc.integer(),
  );

  it('as a body is created or refused with all its problems, and stored only if created', async () => {
    const service = await rig.service();
    const { token } = await rig.researcher();
    let created = 0;
    const changes = await rig.changesDuring(service, () =>
      fc.assert(
        fc.asyncProperty(fc.dictionary(member, value), fc.boolean(), async (members, whole) => {
          const body = whole ? { ...createBody(), ...members } : members;
          const asked = { token, headers: JSON_TYPE, payload: JSON.stringify(body) };
          const { status } = await rig.ask('POST', `/feed/${service}/api`, asked);
          assert.ok(status === 201 || status === 400);
          if (status === 201) created += 1;
        }),
        { numRuns: 300, seed: 20260826 },
      ),
    );
    assert.equal(changes, created);
  });

  it('as bytes is created or refused', async () => {
    const service = await rig.service();
    const { token } = await rig.researcher();
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), async (bytes) => {
        const asked = { token, headers: JSON_TYPE, payload: Buffer.from(bytes) };
        const answer = await rig.ask('POST', `/feed/${service}/api`, asked);
        assert.equal(answer.status, 400);
      }),
      { numRuns: 200, seed: 20260826 },
    );
  });

  it('as a hash costs one unit and is found, not found or refused', async () => {
    const { token } = await rig.reader({ limit: 1000, period: 'none' });
    const text = fc.oneof(
      fc.string({ unit: 'grapheme', minLength: 1 }),
      fc.string({
        unit: fc.constantFrom(...'0123456789abcdefABCDEFg'),
        minLength: 60,
        maxLength: 68,
      }),
    );
    let calls = 0;
    await fc.assert(
      fc.asyncProperty(text, async (hash) => {
        // Clients normalise dot segments before they send them.
        fc.pre(!/^\.{1,2}$/.test(hash) && hash.isWellFormed());
        const { status } = await rig.lookUp(encodeURIComponent(hash), token);
        assert.ok(status === 400 || status === 404);
        calls += 1;
      }),
      { numRuns: 200, seed: 20260826 },
    );
    assert.equal(await rig.unitsLeft(token), 1000 - calls);
  });

  it('as an id of a report is refused or not found', async () => {
    const service = await rig.service();
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.string({ unit: 'binary' }), fc.uuid()), async (text) => {
        fc.pre(text.isWellFormed());
        const { status } = await rig.get(service, encodeURIComponent(text));
        assert.ok(status === 400 || status === 404);
      }),
      { numRuns: 200, seed: 20260826 },
    );
  });

  it('as a token is refused', async (test) => {
    const own = await ownRig(test);
    await fc.assert(
      fc.asyncProperty(fc.string({ maxLength: 60 }), async (text) => {
        const { status } = await own.ask('GET', '/api/balance', { headers: { 'x-api-key': text } });
        assert.ok(status === 401 || status === 429);
      }),
      { numRuns: 200, seed: 20260826 },
    );
  });
});
