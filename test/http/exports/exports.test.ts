import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, describe, it, type TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import { Problem } from '../../../src/domain/problem.ts';
import { createBody, sha256Of } from '../../builders.ts';
import { onlyOnSqlite } from '../../database.ts';
import { until } from '../../until.ts';
import type { Answer } from '../contract.ts';
import { openRig, ownRig, type Rig } from '../http-rig.ts';

let rig: Rig;
let token: string;

before(async () => {
  rig = await openRig({ exports: {} });
  ({ token } = await rig.researcher());
});

after(() => rig.close());

const OWN_CLOCK = onlyOnSqlite('PostgreSQL takes the times of changes from its clock');

const pathOf = (service: string, rest = 'ndjson') => `/feed/${service}/export/${rest}`;

async function linesOf(
  service: string,
  rest?: string,
): Promise<readonly Record<string, unknown>[]> {
  const answer = await rig.ask('GET', pathOf(service, rest), { token });
  assert.equal(answer.status, 200, answer.text);
  const lines = answer.text.trimEnd().split('\n');
  const end = JSON.parse(lines.at(-1) ?? '');
  const before = answer.text.slice(0, answer.text.lastIndexOf('{"end"'));
  const sha256 = createHash('sha256').update(before).digest('hex');
  assert.deepEqual(end, { end: true, rows: lines.length - 1, sha256 });
  return lines.slice(0, -1).map((line) => JSON.parse(line));
}

const DECODERS = { gzip: gunzipSync, br: brotliDecompressSync, zstd: zstdDecompressSync };

/** By what the client accepts. */
const CHOSEN_CODINGS: Readonly<Record<string, keyof typeof DECODERS>> = {
  gzip: 'gzip',
  'gzip, deflate, br': 'br',
  'gzip, deflate, br, zstd': 'zstd',
  'gzip;q=1, br;q=0.5': 'gzip',
};

describe('an export', () => {
  it('has the reports of the feed as the list shows them, oldest first, and ends visibly', async () => {
    const service = await rig.service();
    const ids = [await rig.report(service, token), await rig.report(service, token)];
    const other = await rig.service();
    await rig.report(other, token);
    const reports = await linesOf(service);
    assert.deepEqual(
      reports.map(({ id }) => id),
      ids,
    );
    const list = await rig.ask('GET', `/feed/${service}/reports?order=asc`, { token });
    assert.deepEqual(reports, list.json['reports']);
    const all = await linesOf('all');
    assert.ok(all.length >= 3);
  });

  it('states no time that has not come, of a feed ahead of the clock', OWN_CLOCK, async () => {
    const service = await rig.service();
    for (let count = 0; count < 20; count += 1) await rig.report(service, token);
    const read = (format: string) => rig.ask('GET', pathOf(service, format), { token });
    const now = rig.clock.now();
    const ahead = await read('json');
    assert.equal(ahead.json['changedAt'], now.toISOString());
    assert.equal(ahead.headers['last-modified'], now.toUTCString());
    const modifiedIn = ({ json }: Answer) =>
      (json['objects'] as { type: string; created: string; modified: string }[])
        .filter(({ type }) => type === 'indicator')
        .map(({ created, modified }) => {
          assert.ok(modified >= created);
          return modified;
        });
    const early = modifiedIn(await read('stix'));
    assert.equal(early.length, 40);
    assert.ok(early.every((modified) => modified <= now.toISOString()));
    rig.clock.advance(1000);
    const unchanged = await read('json');
    assert.equal(unchanged.headers['etag'], ahead.headers['etag']);
    assert.equal(unchanged.text, ahead.text);
    await rig.report(service, token);
    const changed = await read('json');
    assert.equal(changed.json['changedAt'], rig.clock.now().toISOString());
    const later = modifiedIn(await read('stix'));
    assert.equal(new Set(later).size, 21, 'each version has its own time');
    assert.equal(later.toSorted().at(-1), rig.clock.now().toISOString());
  });

  it('of an empty feed is complete', async () => {
    assert.deepEqual(await linesOf(await rig.service()), []);
  });

  it('as JSON is one object', async () => {
    const service = await rig.service();
    await rig.report(service, token);
    const { json, headers } = await rig.ask('GET', pathOf(service, 'json'), { token });
    assert.equal(json['rows'], 1);
    assert.equal(json['serial'], 1);
    assert.equal((json['reports'] as unknown[]).length, 1);
    assert.equal(headers['content-disposition'], `attachment; filename="${service}.json"`);
    assert.match(headers['content-type'] ?? '', /^application\/json/);
  });

  it('is answered with 304 until the feed changes', async () => {
    const service = await rig.service();
    await rig.report(service, token);
    const first = await rig.ask('GET', pathOf(service), { token });
    const etag = first.headers['etag'] ?? '';
    assert.match(etag, /^"[\w-]{32}"$/);
    for (const tags of [
      etag,
      `W/${etag}`,
      `"x", ${etag}`,
      '*',
      ...['gzip', 'br', 'zstd'].map((coding) => etag.replace(/"$/, `-${coding}"`)),
    ]) {
      const headers = { 'if-none-match': tags };
      const again = await rig.ask('GET', pathOf(service), { token, headers });
      assert.equal(again.status, 304, tags);
      assert.equal(again.headers['etag'], etag);
      assert.equal(again.headers['cache-control'], 'private, no-cache');
      assert.match(again.headers['vary'] ?? '', /Accept-Encoding, Authorization/);
      assert.equal(again.text, '');
    }
    await rig.report(service, token);
    const headers = { 'if-none-match': etag };
    const changed = await rig.ask('GET', pathOf(service), { token, headers });
    assert.equal(changed.status, 200);
    assert.notEqual(changed.headers['etag'], etag);
    const filtered = await rig.ask('GET', pathOf(service, 'ndjson?port=1'), { token });
    assert.notEqual(filtered.headers['etag'], changed.headers['etag']);
  });

  it('is compressed if the client accepts it, under another tag', async () => {
    const service = await rig.service();
    await rig.report(service, token);
    const plain = await rig.ask('GET', pathOf(service), { token });
    const tags = new Set([plain.headers['etag']]);
    for (const [accepted, coding] of Object.entries(CHOSEN_CODINGS)) {
      const response = await rig.app.inject({
        method: 'GET',
        url: pathOf(service),
        headers: { authorization: `Bearer ${token}`, 'accept-encoding': accepted },
      });
      assert.equal(response.headers['content-encoding'], coding, accepted);
      assert.equal(DECODERS[coding](response.rawPayload).toString(), plain.text);
      tags.add(String(response.headers['etag']));
    }
    assert.equal(tags.size, 4);
  });

  describe('that is built', () => {
    let path: string;
    let text: string;
    let etag: string;
    before(async () => {
      const service = await rig.service();
      for (let count = 0; count < 3; count += 1) await rig.report(service, token);
      path = pathOf(service);
      const whole = await rig.ask('GET', path, { token });
      text = whole.text;
      etag = whole.headers['etag'] ?? '';
    });
    const ask = (headers: Readonly<Record<string, string>>) =>
      rig.ask('GET', path, { token, headers });

    it('states its size, and that ranges are accepted', async () => {
      const { headers, status } = await ask({});
      assert.equal(status, 200);
      assert.equal(headers['accept-ranges'], 'bytes');
      assert.equal(headers['content-length'], String(text.length));
    });

    it('is sent in part, uncompressed', async () => {
      const size = text.length;
      const ranges: readonly (readonly [string, number, number])[] = [
        ['bytes=0-9', 0, 10],
        ['bytes=10-', 10, size],
        ['bytes=-5', size - 5, size],
        [`bytes=5-${size * 2}`, 5, size],
      ];
      for (const [range, start, end] of ranges) {
        const part = await ask({ range, 'if-range': etag, 'accept-encoding': 'gzip, br, zstd' });
        assert.equal(part.status, 206, range);
        assert.equal(part.text, text.slice(start, end));
        assert.equal(part.headers['content-range'], `bytes ${start}-${end - 1}/${size}`);
        assert.equal(part.headers['content-length'], String(end - start));
        assert.equal(part.headers['content-encoding'], undefined);
        assert.equal(part.headers['etag'], etag);
      }
    });

    it('is sent as a whole for several ranges, or those of another version', async () => {
      for (const headers of [
        { range: 'bytes=0-1,3-4' },
        { range: 'lines=0-1' },
        { range: 'bytes=0-1', 'if-range': '"other"' },
        { range: 'bytes=0-1', 'if-range': `W/${etag}` },
        { range: 'bytes=0-1', 'if-range': etag.replace(/"$/, '-gzip"') },
      ]) {
        const whole = await ask(headers);
        assert.equal(whole.status, 200);
        assert.equal(whole.text, text);
      }
    });

    it('refuses a range after its end', async () => {
      const refused = await ask({ range: `bytes=${text.length}-` });
      assert.equal(refused.status, 416);
      assert.equal(refused.headers['content-range'], `bytes */${text.length}`);
      assert.equal(refused.headers['x-error-code'], 'range_not_satisfiable');
      assert.match(refused.text, new RegExp(`The file has ${text.length} bytes`));
    });
  });

  it('answers HEAD with the headers only', async () => {
    const service = await rig.service();
    await rig.report(service, token);
    const head = await rig.ask('HEAD', pathOf(service), { token });
    const { headers } = await rig.ask('GET', pathOf(service), { token });
    assert.equal(head.status, 200);
    for (const name of ['etag', 'content-type', 'content-disposition', 'last-modified', 'vary'])
      assert.equal(head.headers[name], headers[name], name);
    assert.equal(head.text, '');
  });

  it('has the filters of the list', async () => {
    const service = await rig.service();
    const owner = await rig.owner(service);
    const { token: mine, name } = await rig.researcher();
    const one = await rig.report(service, mine, {
      c2Address: 'a.example:1',
      file256Hash: sha256Of('one'),
      tags: ['ONE', 'BOTH'],
      confidenceScore: 90,
    });
    rig.clock.advance(10_000);
    const two = await rig.report(service, token, {
      c2Address: 'b.example:2',
      file256Hash: sha256Of('two'),
      tags: ['TWO', 'BOTH'],
      confidenceScore: 10,
    });
    await rig.answer(service, two, owner.token, { status: 'rejected', reason: 'not_ours' });
    const times = (await linesOf(service)).map(({ updatedAt }) => String(updatedAt));
    const cases: readonly (readonly [string, readonly string[]])[] = [
      ['', [one, two]],
      [`hash=${sha256Of('one')}`, [one]],
      ['host=a.example', [one]],
      ['c2=b.example:2', [two]],
      ['port=2', [two]],
      ['tag=BOTH', [one, two]],
      ['tag=BOTH&tag=TWO', [two]],
      ['tag=TWO&host=a.example', []],
      ['name=ONE', [one]],
      ['name=oNe', [one]],
      [`reporter=${name}`, [one]],
      ['min_confidence=50', [one]],
      ['status=rejected', [two]],
      ['status=rejected&host=b.example', [two]],
      ['status=expired', []],
      [`created_after=${times[1]}`, [two]],
      [`created_before=${times[1]}`, [one]],
    ];
    for (const [query, expected] of cases) {
      const found = await linesOf(service, `ndjson?${query}`);
      assert.deepEqual(
        found.map(({ id }) => id),
        expected,
        query,
      );
      const ofAll = await linesOf('all', `ndjson?${query}`);
      const ours = ofAll.filter(({ service: slug }) => slug === service);
      assert.deepEqual(
        ours.map(({ id }) => id),
        expected,
        `all: ${query}`,
      );
    }
  });

  it('says what is wrong with a request', async () => {
    const service = await rig.service();
    const format = await rig.ask('GET', pathOf(service, 'docx'), { token });
    assert.equal(format.code, 'unknown_format');
    assert.match(String(format.json['error']), /json, ndjson/);
    const option = await rig.ask('GET', pathOf(service, 'ndjson?colour=red'), { token });
    assert.equal(option.status, 400);
    const twice = await rig.ask('GET', pathOf(service, 'ndjson?c2=a.example:1&port=1'), { token });
    assert.equal(twice.status, 400);
    assert.equal((await rig.ask('GET', pathOf('nosuch'), { token })).status, 404);
    assert.equal((await rig.ask('GET', pathOf(service))).status, 401);
  });

  it('has more rows than a batch, of one moment', async () => {
    const service = await rig.service();
    const lines = Array.from({ length: 1500 }, (_, index) =>
      createBody({ c2Address: `h${index}.example:443` }),
    );
    assert.equal((await rig.bulk(service, token, lines)).status, 200);
    const writes = Array.from({ length: 20 }, () => rig.report(service, token));
    const exported = await Promise.all([linesOf(service), linesOf(service), ...writes]);
    for (const reports of exported.slice(0, 2) as (readonly Record<string, unknown>[])[]) {
      // Without deletions and changes, the sequences of one moment have no gap.
      const sequences = reports.map(({ sequence }) => sequence);
      assert.deepEqual(
        sequences,
        sequences.map((_, index) => index + 1),
      );
    }
  });
});

describe('an export while others write', () => {
  it('is the feed at one of its sequences', async () => {
    const service = await rig.service();
    const ids = await Promise.all(Array.from({ length: 60 }, () => rig.report(service, token)));
    const owner = await rig.owner(service);
    const write = async (index: number) => {
      await rig.report(service, token);
      await rig.remove(service, ids[index] ?? '', token);
      const body = { status: 'acknowledged' };
      await rig.answer(service, ids[index + 20] ?? '', owner.token, body);
    };
    const writes = Promise.all(Array.from({ length: 20 }, (_, index) => write(index)));
    const exported: Answer[] = [];
    for (let round = 0; round < 5; round += 1)
      exported.push(await rig.ask('GET', pathOf(service, 'json'), { token }));
    await writes;
    const { json } = await rig.ask('GET', `/feed/${service}/changes?limit=1000`, { token });
    const changes = json['changes'] as readonly Record<string, unknown>[];
    for (const { json: file } of exported) {
      const state = new Map<unknown, unknown>();
      for (const { sequence, type, id } of changes.slice(0, Number(file['serial']))) {
        if (type === 'deleted') state.delete(id);
        else state.set(id, sequence);
      }
      const reports = file['reports'] as readonly Record<string, unknown>[];
      const found = reports.map(({ id, sequence }) => [id, sequence] as const);
      assert.deepEqual(new Map(found), state);
      assert.equal(found.length, file['rows']);
    }
  });
});

describe('an export that fails', () => {
  async function failing(test: TestContext, fail: () => AsyncGenerator<Buffer, void>) {
    let isClosed = false;
    const version = { tag: 'x'.repeat(32), changedAt: new Date(0).toISOString() };
    const own = await ownRig(test, {
      betweenExports: () => ({
        version: async () => version,
        open: async () => ({
          ...version,
          bytes: fail,
          size: () => undefined,
          close: () => {
            isClosed = true;
          },
        }),
      }),
    });
    const service = await own.service();
    const url = await own.app.listen({ port: 0 });
    const headers = { authorization: `Bearer ${own.admin}` };
    return { url: `${url}${pathOf(service)}`, headers, isClosed: () => isClosed };
  }

  for (const coding of ['identity', 'gzip', 'br'])
    it(`in the middle closes the connection (${coding})`, async (test) => {
      const { url, headers, isClosed } = await failing(test, async function* () {
        yield Buffer.from('{"a":1}\n');
        await pause(20);
        throw new Problem('disk_full');
      });
      const response = await fetch(url, { headers: { ...headers, 'accept-encoding': coding } });
      assert.equal(response.status, 200);
      await assert.rejects(response.text());
      await until(isClosed, 'the export is closed');
    });

  it('before the first byte is sent is an error like any other', async (test) => {
    const { url, headers } = await failing(test, async function* () {
      yield Buffer.from('{"a":1}\n');
      await pause(20);
      throw new Problem('disk_full');
    });
    const response = await fetch(url, { headers: { ...headers, 'accept-encoding': 'zstd' } });
    assert.equal(response.status, 503);
    assert.equal(response.headers.get('x-error-code'), 'disk_full');
    for (const name of ['content-encoding', 'content-disposition', 'etag'])
      assert.equal(response.headers.get(name), null, name);
    assert.match(response.headers.get('content-type') ?? '', /^application\/json/);
    const body = (await response.json()) as { readonly successful: boolean };
    assert.equal(body.successful, false);
  });

  it('is released when the client disconnects', async (test) => {
    const { url, headers, isClosed } = await failing(test, async function* () {
      for (;;) {
        yield Buffer.alloc(100_000);
        await pause(1);
      }
    });
    const gone = new AbortController();
    const response = await fetch(url, { headers, signal: gone.signal });
    gone.abort();
    await assert.rejects(response.text());
    await until(isClosed, 'the export is closed');
  });
});

describe('an export that is abandoned', () => {
  it('before it begins is no error of the server', async (test) => {
    const lines: string[] = [];
    let isWaitedFor = false;
    const own = await ownRig(test, {
      log: (line) => lines.push(line),
      betweenExports: () => ({
        version: async () => ({ tag: 'x'.repeat(32), changedAt: new Date(0).toISOString() }),
        open: (_, { signal }) => {
          isWaitedFor = true;
          return new Promise((_, reject) => {
            signal.addEventListener('abort', () => reject(signal.reason));
          });
        },
      }),
    });
    const service = await own.service();
    const url = await own.app.listen({ port: 0 });
    const gone = new AbortController();
    const headers = { authorization: `Bearer ${own.admin}` };
    const response = fetch(`${url}${pathOf(service)}`, { headers, signal: gone.signal });
    await until(() => isWaitedFor, 'the export is waited for');
    gone.abort();
    await assert.rejects(response);
    const ofCall = () => lines.filter((line) => line.includes('/export/'));
    await until(() => ofCall().length > 0, 'the call has ended');
    assert.deepEqual(
      lines.filter((line) => (JSON.parse(line) as { level: number }).level >= 40),
      [],
    );
  });
});
