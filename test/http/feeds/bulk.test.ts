import assert from 'node:assert/strict';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { after, describe, it } from 'node:test';
import { Problem } from '../../../src/domain/problem.ts';
import type { Store } from '../../../src/ports/store.ts';
import { createBody, sha256Of } from '../../builders.ts';
import { until } from '../../until.ts';
import type { Answer } from '../contract.ts';
import { openRig, ownRig } from '../http-rig.ts';
import { listen, talk } from '../wire.ts';

const rig = await openRig();
after(() => rig.close());

const { token } = await rig.researcher();
const NDJSON = { 'content-type': 'application/x-ndjson' };
/** The timeout ends a test that hangs; it does not measure speed. */
const WAIT = { timeout: 180_000 };

interface Line {
  readonly line: number;
  readonly id?: string;
  readonly replayed?: boolean;
  readonly error?: string;
  readonly code?: string;
  readonly successful: boolean;
}

function linesOf({ text }: Answer): readonly Line[] {
  assert.ok(text.endsWith('\n'));
  return text
    .slice(0, -1)
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
}

function numbered(count: number, from = 1) {
  return Array.from({ length: count }, (_, index) =>
    createBody({ c2Address: `evil.example:${index + from}` }),
  );
}

async function headOf(service: string): Promise<number> {
  return (await rig.deps.store.feeds.heads(service)).get(service) ?? Number.NaN;
}

describe('creating many reports', WAIT, () => {
  it('returns a line for each, in order, with ids that can be fetched', async () => {
    const service = await rig.service();
    const answer = await rig.bulk(service, token, numbered(3));
    assert.equal(answer.status, 200);
    assert.equal(answer.headers['content-type'], 'application/x-ndjson');
    const lines = linesOf(answer);
    for (const [index, { line, id = '', successful, ...rest }] of lines.entries()) {
      assert.equal(line, index + 1);
      assert.equal(successful, true);
      assert.deepEqual(rest, {});
      const { c2Address, firstSeenID } = await rig.fetched(service, id);
      assert.equal(c2Address, `evil.example:${index + 1}`);
      assert.equal(firstSeenID, id);
    }
    assert.equal(lines.length, 3);
  });

  it('gives each its own sequence, in the order of the lines', async () => {
    const service = await rig.service();
    const ids = linesOf(await rig.bulk(service, token, numbered(5))).map(({ id }) => id);
    const { json } = await rig.ask('GET', `/feed/${service}/changes`, { token });
    const changes = json['changes'] as { sequence: number; id: string }[];
    assert.deepEqual(
      changes.map(({ sequence, id }) => [sequence, id]),
      ids.map((id, index) => [index + 1, id]),
    );
  });

  it('applies defaults, first sightings and names like single creates', async () => {
    const service = await rig.service({ confidenceScale: 10 });
    const hash = sha256Of('bulk file');
    const lines = linesOf(
      await rig.bulk(service, token, [
        { c2Address: 'evil[.]example:80', file256Hash: hash, tags: ['rat'] },
        { c2Address: 'evil.example:80', file256Hash: hash.toUpperCase(), confidenceScore: 10 },
      ]),
    );
    const [a, b] = [lines[0]?.id ?? '', lines[1]?.id ?? ''];
    assert.equal((await rig.fetched(service, a)).confidenceScore, 5);
    assert.equal((await rig.fetched(service, b)).confidenceScore, 10);
    assert.equal((await rig.fetched(service, b)).firstSeenID, a);
    assert.equal((await rig.fetched(service, a)).name, 'rat');
  });

  it('creates the valid lines despite invalid ones', async () => {
    const service = await rig.service();
    const answer = await rig.bulk(service, token, [
      createBody(),
      '{"c2Address":',
      '',
      createBody({ c2Address: 'evil.example:0', tags: [''] }),
      createBody({ colour: 'red' }),
      '[]',
      createBody(),
    ]);
    const lines = linesOf(answer);
    assert.deepEqual(
      lines.map(({ line, code }) => [line, code]),
      [
        [1, undefined],
        [2, 'malformed_line'],
        [4, 'invalid_body'],
        [5, 'invalid_body'],
        [6, 'invalid_body'],
        [7, undefined],
      ],
    );
    assert.deepEqual(
      lines.map(({ successful }) => successful),
      [true, false, false, false, false, true],
    );
    assert.match(lines[2]?.error ?? '', /^c2Address must be .* tags must be /);
    assert.equal(await headOf(service), 2);
  });

  it('accepts ten thousand lines, and refuses the next one', async () => {
    const service = await rig.service();
    const small = numbered(50);
    const many = Array.from({ length: 10_001 }, (_, index) => small[index % 50]);
    const lines = linesOf(await rig.bulk(service, token, many));
    assert.equal(lines.length, 10_001);
    const { line, code, successful } = lines.at(-1) as Line;
    assert.deepEqual([line, code, successful], [10_001, 'too_many_lines', false]);
    assert.ok(lines.slice(0, -1).every((one) => one.successful));
    const { json } = await rig.ask('GET', `/feed/${service}/reports?limit=1&count=true`, { token });
    assert.equal(json['total'], 10_000);
  });

  for (const [what, payload] of [
    ['nothing', ''],
    ['empty lines', '\n\r\n\n'],
  ] as const)
    it(`is refused if it has ${what}`, async () => {
      const service = await rig.service();
      const asked = { token, headers: NDJSON, payload };
      const answer = await rig.ask('POST', `/feed/${service}/reports`, asked);
      assert.deepEqual([answer.status, answer.code], [400, 'invalid_body']);
    });

  it('is refused first for its token, role and service, then for its type, size and key', async () => {
    const service = await rig.service();
    const reader = await rig.reader();
    const ask = async (feed: string, asked: object) =>
      (await rig.ask('POST', `/feed/${feed}/reports`, { payload: 'x', ...asked })).code;
    assert.equal(await ask('nobody', {}), 'token_missing');
    assert.equal(await ask('nobody', { token: reader.token }), 'role_missing');
    assert.equal(await ask('nobody', { token }), 'unknown_service');
    const json = { 'content-type': 'application/json' };
    assert.equal(await ask(service, { token, headers: json }), 'unsupported_media_type');
    const zipped = { ...NDJSON, 'content-encoding': 'gzip' };
    assert.equal(await ask(service, { token, headers: zipped }), 'unsupported_media_type');
    const huge = { ...NDJSON, 'content-length': String(64 * 1024 * 1024 + 1) };
    assert.equal(await ask(service, { token, headers: huge }), 'body_too_large');
    const key = { ...NDJSON, 'idempotency-key': '""' };
    assert.equal(await ask(service, { token, headers: key }), 'invalid_header');
  });

  it('accepts other media types of NDJSON', async () => {
    const service = await rig.service();
    for (const type of ['application/ndjson', 'application/jsonl; charset=utf-8']) {
      const answer = await rig.bulk(service, token, numbered(1), { 'content-type': type });
      assert.equal(answer.status, 200);
    }
  });
});

describe('a batch that is sent again with its key', WAIT, () => {
  it('creates no second reports, and continues where it was interrupted', async () => {
    const service = await rig.service();
    const key = { 'idempotency-key': '"batch 1"' };
    const first = linesOf(await rig.bulk(service, token, numbered(3), key));
    const again = linesOf(await rig.bulk(service, token, numbered(5), key));
    assert.deepEqual(
      again.slice(0, 3),
      first.map((line) => ({ line: line.line, id: line.id, replayed: true, successful: true })),
    );
    assert.ok(again.slice(3).every(({ replayed }) => replayed === undefined));
    assert.equal(await headOf(service), 5);
  });

  it('creates a line that was corrected in between', async () => {
    const service = await rig.service();
    const key = { 'idempotency-key': 'mended' };
    const [good, other] = numbered(2);
    const first = linesOf(await rig.bulk(service, token, [good, '{', good], key));
    const again = linesOf(await rig.bulk(service, token, [good, other, good], key));
    assert.deepEqual(
      again.map(({ replayed }) => replayed),
      [true, undefined, true],
    );
    assert.equal(again[2]?.id, first[2]?.id);
  });

  it('refuses a line that differs from the earlier one', async () => {
    const service = await rig.service();
    const key = { 'idempotency-key': 'changed' };
    await rig.bulk(service, token, numbered(2), key);
    const lines = linesOf(await rig.bulk(service, token, numbered(2, 2), key));
    assert.deepEqual(
      lines.map(({ code }) => code),
      ['idempotency_key_reused', 'idempotency_key_reused'],
    );
    assert.equal(await headOf(service), 2);
  });

  it('does not conflict with keys of single creates, other feeds and other accounts', async () => {
    const [service, other] = [await rig.service(), await rig.service()];
    const key = { 'idempotency-key': 'shared' };
    await rig.bulk(service, token, numbered(1), key);
    assert.equal((await rig.create(service, token, {}, key)).status, 201);
    assert.equal(linesOf(await rig.bulk(other, token, numbered(1), key))[0]?.replayed, undefined);
    const { token: another } = await rig.researcher();
    assert.equal(
      linesOf(await rig.bulk(service, another, numbered(1), key))[0]?.replayed,
      undefined,
    );
  });
});

describe('a batch over the wire', WAIT, () => {
  it('is stored and answered while it still arrives', async (test) => {
    const own = await ownRig(test);
    const port = await listen(own);
    const service = await own.service();
    const { token: its } = await own.researcher();
    const { promise: enough, resolve: goOn } = Promise.withResolvers<void>();
    async function* slowly() {
      yield `${JSON.stringify(createBody())}\n`;
      await enough;
      yield `${JSON.stringify(createBody())}\n`;
    }
    const response = await fetch(`http://127.0.0.1:${port}/feed/${service}/reports`, {
      method: 'POST',
      headers: { ...NDJSON, authorization: `Bearer ${its}` },
      body: Readable.toWeb(Readable.from(slowly())),
      duplex: 'half',
    } as RequestInit);
    const input = Readable.fromWeb(response.body as ReadableStream<Uint8Array>);
    const lines = createInterface({ input })[Symbol.asyncIterator]();
    assert.equal(JSON.parse((await lines.next()).value ?? '').line, 1);
    goOn();
    assert.equal(JSON.parse((await lines.next()).value ?? '').line, 2);
    assert.equal((await lines.next()).done, true);
  });

  it('that is interrupted stores the complete lines and nothing else', async (test) => {
    const own = await ownRig(test);
    await listen(own);
    const service = await own.service();
    const { token: its } = await own.researcher();
    const line = JSON.stringify(createBody());
    await talk(own, (socket) => {
      socket.write(
        `POST /feed/${service}/reports HTTP/1.1\r\nHost: x\r\nAuthorization: ${its}\r\nContent-Type: application/x-ndjson\r\nContent-Length: 100000\r\n\r\n${line}\n${line}\n${line}`,
      );
      socket.once('data', () => socket.destroy());
    });
    const head = async () => (await own.deps.store.feeds.heads(service)).get(service);
    await until(async () => (await head()) === 2, 'two are made');
    assert.equal(await head(), 2);
  });

  it('does not deadlock with a client that reads only after it has sent everything', async (test) => {
    const own = await ownRig(test);
    await listen(own);
    const service = await own.service();
    const { token: its } = await own.researcher();
    const body = `${JSON.stringify({ c2Address: 'x', why: 'y'.repeat(900) })}\n`.repeat(9000);
    const received = await talk(own, (socket) => {
      socket.pause();
      socket.write(
        `POST /feed/${service}/reports HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: ${its}\r\nContent-Type: application/x-ndjson\r\nContent-Length: ${body.length}\r\n\r\n`,
      );
      socket.write(body, () => socket.resume());
    });
    assert.equal(received.split('"code":"invalid_body"').length - 1, 9000);
  });
});

describe('a batch while the store fails', WAIT, () => {
  function failingAfter(chunks: number) {
    let left = chunks;
    return (store: Store): Store => ({
      ...store,
      feeds: {
        ...store.feeds,
        createMany: (reports) => {
          left -= 1;
          if (left < 0) return Promise.reject(new Problem('unavailable'));
          return store.feeds.createMany(reports);
        },
      },
    });
  }

  it('is refused as a whole if nothing was stored', async (test) => {
    const own = await ownRig(test, { between: failingAfter(0) });
    const service = await own.service();
    const answer = await own.bulk(service, (await own.researcher()).token, numbered(2));
    assert.deepEqual([answer.status, answer.code], [503, 'unavailable']);
  });

  it('is aborted after the first line, so that it does not look complete', async (test) => {
    const own = await ownRig(test, { between: failingAfter(1) });
    const port = await listen(own);
    const service = await own.service();
    const { token: its } = await own.researcher();
    const lines = numbered(700).map((line) => `${JSON.stringify(line)}\n`);
    const sent = fetch(`http://127.0.0.1:${port}/feed/${service}/reports`, {
      method: 'POST',
      headers: { ...NDJSON, authorization: `Bearer ${its}` },
      body: lines.join(''),
    });
    // Before or after the first line of the response: either way the client sees that it is
    // incomplete.
    await assert.rejects(sent.then((response) => response.text()));
  });
});
